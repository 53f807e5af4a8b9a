/**
 * A disk that takes its time while the folder `IG_TEST_DISK` has a file `waits`, and then fails where `IG_TEST_DISK_FAILS` is
 * set. Loaded by `--import`, also into the threads.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const folder = process.env.IG_TEST_DISK
const force = fs.fdatasync

fs.fdatasync = (file, done) => {
  fs.appendFileSync(join(folder, 'asked'), '.')
  if (!fs.existsSync(join(folder, 'waits'))) return force(file, done)
  const watch = setInterval(() => {
    if (fs.existsSync(join(folder, 'waits'))) return
    clearInterval(watch)
    if (!process.env.IG_TEST_DISK_FAILS) return force(file, done)
    done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  }, 1)
}
syncBuiltinESMExports()
