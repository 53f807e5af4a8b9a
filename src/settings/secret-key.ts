/**
 * `ig.secretKey`, from the environment or a file, and never from the project, which is copied and shared
 * (specification 8.9, 27.31).
 */
import { SecretKey } from '../base/secret-key.ts'

/** Characters. */
const shortest = 32

export const secretKeyKind = {
  values: `${shortest} characters or more, in the environment or a file`,
  parse(text: string): SecretKey {
    if (text.length >= shortest) return new SecretKey(text)
    throw new Error(`must have ${shortest} characters or more; openssl rand -base64 32 makes one`)
  },
}
