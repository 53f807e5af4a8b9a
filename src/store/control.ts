/** SQL of handlers cannot begin or end the transaction that it is in (specification 5.8). */
import { type CompiledQuery, RawNode } from 'kysely'

const control = /^(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i

export function requireNoControl(query: CompiledQuery): void {
  if (RawNode.is(query.query) && control.test(fromFirstWord(query.sql))) throw new Error(noTransactions)
}

/** The text without leading white space, comments and empty statements. */
function fromFirstWord(text: string): string {
  for (let rest = text; ; rest = behindComment(rest)) {
    rest = rest.replace(/^(?:[\s;]|--[^\r\n]*)+/, '')
    if (!rest.startsWith('/*')) return rest
  }
}

/** PostgreSQL nests them. */
function behindComment(text: string): string {
  let depth = 0
  for (const { 0: mark, index } of text.matchAll(/\/\*|\*\//g)) {
    depth += mark === '/*' ? 1 : -1
    if (depth === 0) return text.slice(index + mark.length)
  }
  return ''
}

export const noTransactions =
  'A request is one transaction already: the gateway begins it, and commits or rolls it back when the handler has ended'
