/** `src/api/schema.d.ts`: the types of the administration API, from its OpenAPI. It is not committed. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { writeOpenApi } from '../src/admin/openapi.ts'
import { routes } from '../src/admin/routes/routes.ts'

const file = join(import.meta.dirname, 'src/api/schema.d.ts')
const openApi = JSON.stringify(writeOpenApi(routes, 'console'))
await mkdir(join(file, '..'), { recursive: true })
await writeFile(file, astToString(await openapiTypescript(openApi, { alphabetize: true })))
