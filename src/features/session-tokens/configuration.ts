/** Public keys of another gateway, which signs session tokens for a node (specification 27.9). */
import { z } from 'zod'
import type { Problem } from '../../model/problem.ts'
import { isPublicKey } from './session-token.ts'

const sessionTokenKeys = z
  .array(z.string().refine(isPublicKey, 'must be a public key as ig session-token list-keys prints it'))
  .min(1, 'must have at least one value, or be left out')
  .readonly()

export const nodeFields = {
  sessionTokenKeys: sessionTokenKeys.optional().meta({
    title: 'Session token keys',
    description:
      'Public keys of another gateway, as `ig session-token list-keys` prints them there: its session tokens for this node are accepted',
  }),
}

interface UncheckedNode {
  readonly isDefaultLocal?: boolean | null | undefined
  readonly sessionTokenKeys?: readonly (string | null)[] | null | undefined
}

/** A key in two places would leave open which node signed. */
export function* check({
  nodes,
}: {
  readonly nodes?: readonly (UncheckedNode | null)[] | null | undefined
}): Iterable<Problem> {
  const first = new Map<string, string>()
  for (const [index, node] of (nodes ?? []).entries()) {
    for (const [position, key] of (node?.sessionTokenKeys ?? []).entries()) {
      if (key === null) continue
      const path = `nodes[${index}].sessionTokenKeys[${position}]`
      const earlier = first.get(key)
      if (node?.isDefaultLocal)
        yield { path, message: 'has no effect here: the keys of the default local node are in the store' }
      else if (earlier !== undefined) yield { path, message: `repeats the key of ${earlier}` }
      first.set(key, earlier ?? path)
    }
  }
}
