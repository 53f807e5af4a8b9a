/** `schema/`: JSON schemas of the configuration and of the settings, which the package contains for editors and pipelines. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeConfiguration, describeSettingsFile } from './schemas.ts'

const folder = join(import.meta.dirname, '../../schema')
mkdirSync(folder, { recursive: true })
for (const [name, schema] of Object.entries({
  configuration: describeConfiguration(),
  settings: describeSettingsFile(),
}))
  writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`)
