/** The actor if no one has signed in: the system user of the process (specification 18.38). */
import { userInfo } from 'node:os'

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // the user of a container may have no name
  }
}
