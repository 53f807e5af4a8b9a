/** Who acts where no one has signed in: the user of the system that runs the process (specification 18.38). */
import { userInfo } from 'node:os'

export function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}` // a container's user need not have a name
  }
}
