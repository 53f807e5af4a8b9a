/**
 * `src/api/schema.d.ts`, the types of the administration API, and `src/api/fields.ts`, what forms know of the fields of the
 * configuration and of actions (specification 19.7): from its OpenAPI. Neither is committed.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { listNames, lists } from '../src/actions/schemas.ts'
import { type OpenApi, writeOpenApi } from '../src/admin/openapi.ts'
import { routes } from '../src/admin/routes/routes.ts'
import { listFields } from './src/api/list-fields.ts'

const folder = join(import.meta.dirname, 'src/api')
const openApi: OpenApi = writeOpenApi(routes, 'console')
const find = (name: string) => openApi.components.schemas[name] ?? {}
const inline = (schema: object) =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.$ref ? find(value.$ref.replace(/.*\//, '')) : value))
const titles = {
  ...Object.fromEntries(listNames.map((list) => [list, lists[list].title])),
  ...{ createOperator: 'NewOperator', createAdministrator: 'NewAdministrator', createToken: 'TokenRequest' },
}
const fields = Object.fromEntries(
  Object.entries(titles).map(([form, title]) => [form, listFields(inline(find(`${title}Input`)))]),
)
await mkdir(folder, { recursive: true })
await writeFile(
  join(folder, 'fields.ts'),
  `import type { Field, FormName } from '../field.ts'\n
export const fields: Readonly<Record<FormName, readonly Field[]>> = ${JSON.stringify(fields)}\n`,
)
const types = await openapiTypescript(JSON.stringify(openApi), { alphabetize: true })
await writeFile(join(folder, 'schema.d.ts'), astToString(types))
