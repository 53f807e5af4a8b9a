/** Public keys of another gateway, which signs session tokens for a node (specification 27.9). */
import { z } from 'zod'
import { isPublicKey } from '../session-token.ts'

export const sessionTokenKeys = z
  .array(z.string().refine(isPublicKey, 'must be a public key as ig session-token list-keys prints it'))
  .min(1, 'must have at least one value, or be left out')
  .readonly()
