/** The last step of `npm run build`: `dist/build.json`, by which metrics tell builds of one version apart. */
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../../dist')
const hash = createHash('sha256')
for (const file of globSync('**/*.js', { cwd: dist }).sort())
  hash
    .update(`${file}\0`)
    .update(readFileSync(join(dist, file)))
    .update('\0')
writeFileSync(join(dist, 'build.json'), `${JSON.stringify({ digest: hash.digest('hex').slice(0, 12) })}\n`)
