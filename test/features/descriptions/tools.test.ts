/** What tools say of descriptions (specification 12.10). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Catalog } from '../../../src/configuration/catalog.ts'
import { describeOpenApi } from '../../../src/features/descriptions/openapi.ts'
import type { ErrorStyle } from '../../../src/model/operation-terms.ts'
import { lint } from '../../support/lint.ts'
import { compileDefinition, defineMany } from '../../support/many-operations.ts'
import { reference, settings } from './described.ts'

/** Each set of templates, with each method, version and verification. IG_TEST_OPERATIONS=1000 takes the tools ten seconds. */
const count = Number(process.env.IG_TEST_OPERATIONS ?? 200)

const projects: readonly { readonly title: string; readonly catalog: Catalog; readonly errorStyle: ErrorStyle }[] = [
  { title: '12.10 no tool finds an error in the reference project', catalog: reference, errorStyle: 'observed' },
  { title: '12.10 no tool finds an error in the standard style', catalog: reference, errorStyle: 'standard' },
  {
    title: '12.10 no tool finds an error in many operations, a third of them of either style',
    catalog: compileDefinition(defineMany(count)),
    errorStyle: 'observed',
  },
]

for (const { title, catalog, errorStyle } of projects) {
  test(title, async () => {
    const findings = await lint(describeOpenApi(catalog, { settings: { ...settings, errorStyle } }))
    assert.deepEqual(findings.filter(({ severity }) => severity === 'error').slice(0, 5), [])
    if (catalog !== reference) return
    assert.deepEqual(
      findings.map(({ rule }) => rule),
      ['info-contact'], // the configuration names no one to ask
    )
  })
}

test('12.10 the tools do find an error where one is', async () => {
  const document = structuredClone(describeOpenApi(reference, { settings })) as unknown as {
    paths: Record<string, object>
  }
  document.paths['/broken/{x}'] = { get: { responses: { '200': { $ref: '#/components/responses/none' } } } }
  const tools = new Set((await lint(document)).filter(({ severity }) => severity === 'error').map(({ tool }) => tool))
  assert.deepEqual([...tools].sort(), ['Redocly', 'Spectral', 'swagger-parser'])
})
