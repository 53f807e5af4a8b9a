/** Stand-ins in the testing kit (specification 11.4). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openTestGateway } from '../../../src/testing.ts'
import { makeProject } from '../../support/cli.ts'

test("11.4 a test's configuration may have recorded responses from a given folder", async () => {
  const service = { name: 'PEOPLE' }
  const operation = { service: 'PEOPLE', name: 'NAMES', method: 'GET', fixture: 'names.xml' } as const
  const recorded = {
    nodes: [{ name: 'NODE', isDefaultLocal: true }],
    services: [service],
    operations: [operation],
    permissionLists: [{ name: 'ALL', services: ['PEOPLE'] }],
  }
  const folder = makeProject({ 'fixtures/names.xml': '<names/>' })
  const operators = [{ id: 'ANN', permissionLists: ['ALL'] }]
  await using gateway = await openTestGateway({ project: { configuration: recorded, folder }, operators })
  const { status, text } = await gateway.call('GET NAMES.v1', { as: 'ANN' })
  assert.deepEqual([status, text], [200, '<names/>'])
  await assert.rejects(
    openTestGateway({ project: { configuration: recorded } }),
    /operations\[0\]\.fixture needs the folder of its fixtures: set folder, next to configuration/,
  )
  const other = pathToFileURL(makeProject({ 'fixtures/nmes.xml': '' }))
  await assert.rejects(
    openTestGateway({ project: { configuration: recorded, folder: other } }),
    /names a file that does not exist: fixtures\/names\.xml; did you mean nmes\.xml/,
  )
})
