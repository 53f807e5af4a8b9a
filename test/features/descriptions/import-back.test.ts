/** `ig import` of the descriptions that the gateway makes (specification 16.8). */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Catalog } from '../../../src/configuration/catalog.ts'
import { describeOpenApi } from '../../../src/features/descriptions/openapi.ts'
import { describeWadl } from '../../../src/features/descriptions/wadl.ts'
import { importOpenApi } from '../../../src/moving/import/openapi.ts'
import { importWadl } from '../../../src/moving/import/wadl.ts'
import { ig, makeProject } from '../../support/cli.ts'
import { compileDefinition, defineMany } from '../../support/many-operations.ts'
import { settings } from './described.ts'

const identities = ({ operations }: Pick<Catalog, 'operations'>) =>
  [...operations.values()]
    .map(({ alias, version, method, verification }) => `${method} ${alias}.${version} ${verification}`)
    .sort()
const imported = ({ operations }: ReturnType<typeof importOpenApi>) =>
  operations.map(({ alias, version, method, verification }) => `${method} ${alias}.${version} ${verification}`).sort()

test('16.8 the descriptions that the gateway makes import back into the same operations', () => {
  const catalog = compileDefinition(defineMany(300))
  const openApi = importOpenApi(JSON.parse(JSON.stringify(describeOpenApi(catalog, { settings }))))
  assert.deepEqual(openApi.problems, [])
  assert.deepEqual(imported(openApi), identities(catalog))
  assert.deepEqual(openApi.nodes, ['LOCAL_NODE'])
  const wadl = catalog.configuration.services.map(({ name: service }) =>
    importWadl(describeWadl(catalog, { service, settings }), 'a.wadl'),
  )
  assert.deepEqual(
    wadl.flatMap(({ problems }) => problems),
    [],
  )
  assert.deepEqual(wadl.flatMap(imported).sort(), identities(catalog))
})

test('16.8 a project imported from its own description serves the same URLs', async () => {
  const folder = makeProject({})
  const described = await ig(['describe', 'openapi', 'examples/reference'])
  writeFileSync(join(folder, 'api.json'), described.stdout)
  const { code, stderr } = await ig(['import', 'openapi', 'api.json', '--into', 'made'], { cwd: folder })
  assert.deepEqual([code, stderr], [0, ''])
  const again = await ig(['describe', 'openapi', join(folder, 'made')])
  const pathsOf = (text: string) =>
    Object.entries(JSON.parse(text).paths as Record<string, Record<string, { security: unknown }>>)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, { security }]) => `${method} ${path} ${JSON.stringify(security)}`),
      )
      .sort()
  assert.deepEqual(pathsOf(again.stdout), pathsOf(described.stdout))
})
