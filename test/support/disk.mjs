/**
 * A disk that takes its time while the folder `IG_TEST_DISK` has a file `waits`, and then fails where `IG_TEST_DISK_FAILS` is
 * set. Loaded by `--import`, also into the threads.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const folder = process.env.IG_TEST_DISK
const force = fs.fdatasyncSync
const bell = new Int32Array(new SharedArrayBuffer(4))

fs.fdatasyncSync = (file) => {
  if (!fs.existsSync(join(folder, 'waits'))) return force(file) // not yet, or no longer, of interest
  fs.writeFileSync(join(folder, 'asked'), '')
  while (fs.existsSync(join(folder, 'waits'))) Atomics.wait(bell, 0, 0, 1)
  if (process.env.IG_TEST_DISK_FAILS) throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
  force(file)
}
syncBuiltinESMExports()
