/** `npm run docs:tables`: writes the generated regions of the documents, the generated file of the console, and the alert rules. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { actionsFile, writeActions } from './actions.ts'
import { rulesFile, writeRules } from './alerts.ts'
import { fillRegions } from './tables.ts'

const root = join(import.meta.dirname, '../..')
for (const file of globSync(['*.md', 'docs/**/*.md', 'src/features/*/README.md'], { cwd: root })) {
  const path = join(root, file)
  const before = readFileSync(path, 'utf8')
  const after = await fillRegions(before)
  if (after === before) continue
  writeFileSync(path, after)
  console.log(file)
}
writeFileSync(join(root, actionsFile), writeActions())
writeFileSync(join(root, rulesFile), await writeRules())
