/** Writes the types of a client from an OpenAPI document, as `openapi-typescript` does for its users. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTypescript, { astToString } from 'openapi-typescript'

/** Where client.ts imports them from; no part of the repository. */
const file = join(import.meta.dirname, 'generated/reference.ts')

export async function generate(document: string): Promise<void> {
  const source = astToString(await openapiTypescript(document))
  await mkdir(join(file, '..'), { recursive: true })
  await writeFile(file, source)
}
