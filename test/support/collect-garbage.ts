/** A full collection at once, in a process that was not started for it. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
export const collectGarbage: () => void = runInNewContext('gc')
setFlagsFromString('--no-expose-gc')
