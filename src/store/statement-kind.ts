/** What a statement does (specification 5.9, 20.16). */
import {
  AliasNode,
  type CompiledQuery,
  DeleteQueryNode,
  InsertQueryNode,
  type OperationNode,
  RawNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely'

/** The `with` of a `select` may write on PostgreSQL. */
export function isRead({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): boolean {
  if (!SelectQueryNode.is(query)) return RawNode.is(query) && /^\s*select\b/i.test(sql)
  return query.with?.expressions.every(({ expression }) => SelectQueryNode.is(expression)) ?? true
}

/** Without any value: `SELECT employee, address`, or the first word of SQL that the handler wrote itself. */
export function summarize({ query, sql }: Pick<CompiledQuery, 'query' | 'sql'>): string {
  const [verb, tables] = partsOf(query) ?? [/^\s*([a-z]{1,20})\b/i.exec(sql)?.[1]?.toUpperCase() ?? 'SQL', []]
  const names = tables.map(nameOf).filter((name) => name !== undefined)
  return names.length === 0 ? verb : `${verb} ${names.join(', ')}`
}

function partsOf(query: OperationNode): readonly [string, readonly OperationNode[]] | undefined {
  if (SelectQueryNode.is(query))
    return ['SELECT', [...(query.from?.froms ?? []), ...(query.joins ?? []).map(({ table }) => table)]]
  if (InsertQueryNode.is(query)) return ['INSERT', query.into ? [query.into] : []]
  if (UpdateQueryNode.is(query)) return ['UPDATE', query.table ? [query.table] : []]
  if (DeleteQueryNode.is(query)) return ['DELETE', query.from.froms]
  return undefined
}

/** The name of the table in `STAFF`, `main.STAFF` and `STAFF as s`. */
export function nameOf(node: OperationNode): string | undefined {
  if (AliasNode.is(node)) return nameOf(node.node)
  return TableNode.is(node) ? node.table.identifier.name : undefined
}
