/**
 * Masks pairs of YAML: mappings in which one member holds the name of another one's value, as in `- name: password` and
 * `value: …` (specification 8.7). The text is read once, line by line, in linear time; other texts have no such pairs.
 */
import { isNameOfSecret, masked, nameLike, valueLike } from './mask-structures.ts'

interface Row {
  readonly column: number
  namesSecret: boolean
  /** Possible values of that name; the last one continues on lines that are indented further. */
  readonly values: { readonly start: number; end: number }[]
  isOpen: boolean
}

export function maskNameValuePairs(text: string, isSecret: (name: string) => boolean): string {
  const rows: Row[] = []
  const cuts: Row['values'] = []
  let at = 0
  let end = 0
  const finish = (row: Row) => {
    const value = row.values.at(-1)
    if (row.isOpen && value) value.end = end
    row.isOpen = false
  }
  const closeBeyond = (column: number) => {
    for (let row = rows.at(-1); row && row.column > column; row = rows.at(-1)) {
      finish(row)
      if (row.namesSecret) cuts.push(...row.values)
      rows.pop()
    }
  }
  for (const line of text.split('\n')) {
    const [before = '', indent = '', dashes = '', name] = member.exec(line) ?? []
    if (line.trim() !== '') {
      const column = indent.length + dashes.length
      closeBeyond(dashes === '' ? column : indent.length)
      if (name !== undefined) {
        let row = rows.at(-1)
        if (!row || row.column < column) rows.push((row = { column, namesSecret: false, values: [], isOpen: false }))
        finish(row)
        const value = line
          .slice(before.length)
          .trim()
          .replace(/^["']|["']$/g, '')
        if (nameLike.test(name) && isNameOfSecret(value, isSecret)) row.namesSecret = true
        else if (valueLike.test(name)) {
          row.values.push({ start: at + before.length, end: 0 })
          row.isOpen = true
        }
      }
      end = at + line.trimEnd().length
    }
    at += line.length + 1
  }
  closeBeyond(-1)
  return cut(text, cuts)
}

/** A line with or without a name: indentation, dashes of items, name. */
const member = /^([ \t]*)((?:-[ \t]+)*)(?:["']?([\w.-]{1,100})["']?[ \t]*:(?:[ \t]+|$))?/

function cut(text: string, cuts: Row['values']): string {
  let result = ''
  let done = 0
  for (const { start, end } of cuts.sort((one, other) => one.start - other.start)) {
    if (start < done || end <= start) continue
    result += text.slice(done, start) + masked
    done = end
  }
  return result + text.slice(done)
}
