/** `npm run docs:tables`: writes the generated regions of the documents anew. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fillRegions } from './tables.ts'

const root = join(import.meta.dirname, '../..')
for (const file of globSync(['*.md', 'docs/**/*.md'], { cwd: root })) {
  const path = join(root, file)
  const before = readFileSync(path, 'utf8')
  const after = await fillRegions(before)
  if (after === before) continue
  writeFileSync(path, after)
  console.log(file)
}
