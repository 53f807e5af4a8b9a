/** The SQL of SQLite: an expression whose type is stated has a mark instead of PostgreSQL's cast (specification 5.60). */
import { type RawNode, SqliteQueryCompiler } from 'kysely'
import { findMark, writeMark } from '../../model/portable-marks.ts'

export class MarkingCompiler extends SqliteQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const mark = findMark(node)
    const [expression] = node.parameters
    if (mark && expression) {
      this.append(mark === 'date' ? 'date(' : '(')
      this.visitNode(expression)
      this.append(`)${writeMark(mark)}`)
    } else super.visitRaw(node)
  }
}
