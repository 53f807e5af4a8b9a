/** What is different between two configurations, the canonical form, and the round trip of an export (specification 13.2 to 13.4). */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { Configuration, GatewayDefinition } from '../../src/configuration/configuration.ts'
import { diffConfigurations, diffSteps } from '../../src/configuration/diff-configurations.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import {
  digestConfiguration,
  digestSteps,
  documentSteps,
  readDocument,
  writeDocument,
} from '../../src/configuration/revision.ts'
import { withoutDefaults } from '../../src/configuration/without-defaults.ts'
import { openProject } from '../../src/project/open-project.ts'
import { writeLiteral } from '../../src/project/write-literal.ts'
import { anyCharacter } from '../support/any-character.ts'
import { referenceFolder } from '../support/gateway.ts'

// biome-ignore lint/suspicious/noExplicitAny: rows change the document freely
type Anything = any

const sample = {
  nodes: [
    { name: 'LOCAL', isDefaultLocal: true },
    { name: 'OTHER', isActive: true },
    { name: 'ANONYMOUS', defaultUser: 'GUEST' },
  ],
  documents: [
    {
      name: 'D',
      elements: { a: { type: 'String' }, b: { type: 'Integer' }, c: { type: 'String', values: ['x', 'y'] } },
    },
  ],
  messages: [{ name: 'M', document: 'D' }],
  services: [{ name: 'S' }, { name: 'T' }],
  operations: [
    {
      service: 'S',
      name: 'ECHO',
      method: 'GET',
      uriTemplates: ['x/{a}', 'y/{b}'],
      documentTemplate: 'M',
      handler: 'h.ts#Echo',
    },
    { service: 'S', name: 'ECHO', method: 'POST', handler: 'h.ts#Post' },
    { service: 'T', name: 'OFF', method: 'GET', isActive: false, handler: 'h.ts#Off' },
  ],
  permissionLists: [{ name: 'ALL', services: ['S', 'T'], operations: ['OFF_GET.v1'] }],
}

function parse(definition: unknown): Configuration {
  const parsed = parseConfiguration(definition)
  if ('configuration' in parsed) return parsed.configuration
  throw new Error(JSON.stringify(parsed.problems))
}

function changed(change: (document: Anything) => void): Configuration {
  const document = structuredClone(sample)
  change(document)
  return parse(document)
}

const rows: readonly { title: string; change: (document: Anything) => void; changes: readonly Anything[] }[] = [
  { title: '13.2 equal configurations have no changes', change() {}, changes: [] },
  {
    title: '13.2 the order of keys and of items makes no difference',
    change(document) {
      for (const list of Object.keys(document)) {
        document[list].reverse()
        document[list] = document[list].map((item: object) => Object.fromEntries(Object.entries(item).reverse()))
      }
      document.permissionLists[0].services.reverse()
      document.documents[0].elements = {
        b: { type: 'Integer' },
        a: { type: 'String' },
        c: { type: 'String', values: ['y', 'x'] },
      }
    },
    changes: [],
  },
  {
    title: '13.2 a stated default, and an alias that equals the name, make no difference',
    change(document) {
      document.operations[0].version = 'v1'
      document.operations[1].alias = 'ECHO'
    },
    changes: [],
  },
  {
    title: '13.2, 13.3 the order of URI templates is their index',
    change: ({ operations }) => operations[0].uriTemplates.reverse(),
    changes: [
      {
        kind: 'changed',
        list: 'operations',
        id: 'ECHO_GET.v1',
        fields: [{ field: 'uriTemplates', before: ['x/{a}', 'y/{b}'], after: ['y/{b}', 'x/{a}'] }],
      },
    ],
  },
  {
    title: '13.3 fields of nested objects are reported with their path',
    change({ operations, documents }) {
      operations[1].verification = 'Basic'
      operations[1].responseMessage = { contentType: 'application/json' }
      documents[0].elements.a.length = 10
    },
    changes: [
      {
        kind: 'changed',
        list: 'operations',
        id: 'ECHO_POST.v1',
        fields: [
          {
            field: 'responseMessage.contentType',
            before: 'text/xml; encoding="UTF-8"',
            after: 'application/json',
          },
          { field: 'verification', before: 'NONE', after: 'Basic' },
        ],
      },
      {
        kind: 'changed',
        list: 'documents',
        id: 'D',
        fields: [{ field: 'elements.a.length', before: undefined, after: 10 }],
      },
    ],
  },
  {
    title: '5.60, 13.3 portable values are a change',
    change: (document) => {
      document.databaseValues = 'portable'
    },
    changes: [{ kind: 'added', list: 'gateway', id: 'databaseValues', fields: [] }],
  },
  {
    title: '13.3 permissions are reported',
    change: ({ permissionLists }) => {
      permissionLists[0].services = ['S']
      permissionLists.push({ name: 'MORE' })
    },
    changes: [
      {
        kind: 'changed',
        list: 'permissionLists',
        id: 'ALL',
        fields: [{ field: 'services', before: ['S', 'T'], after: ['S'] }],
      },
      { kind: 'added', list: 'permissionLists', id: 'MORE', fields: [] },
    ],
  },
  {
    title: '13.4 removing an operation breaks its clients',
    change: ({ operations }) => operations.splice(1, 1),
    changes: [
      {
        kind: 'removed',
        list: 'operations',
        id: 'ECHO_POST.v1',
        fields: [],
        breaks: 'is removed: clients that call POST ECHO.v1 are refused',
      },
    ],
  },
  {
    title: '13.4 renaming an operation breaks its clients, and the new name is reported',
    change: ({ operations }) => {
      operations[1].name = 'REPEAT'
    },
    changes: [
      {
        kind: 'removed',
        list: 'operations',
        id: 'ECHO_POST.v1',
        fields: [],
        breaks: 'is renamed to REPEAT_POST.v1: clients that call POST ECHO.v1 are refused',
      },
      { kind: 'added', list: 'operations', id: 'REPEAT_POST.v1', fields: [] },
    ],
  },
  {
    title: '13.4 if the alias keeps the URL, what it reaches afterwards is reported',
    change: ({ operations }) => {
      operations[1].name = 'REPEAT'
      operations[0].name = 'REPEAT'
      operations[0].alias = 'ECHO'
    },
    changes: [
      ...['GET', 'POST'].map((method) => ({
        kind: 'removed',
        list: 'operations',
        id: `ECHO_${method}.v1`,
        fields: [],
        breaks: `is renamed to REPEAT_${method}.v1: clients that call ${method} ECHO.v1 reach REPEAT_${method}.v1`,
      })),
      ...['GET', 'POST'].map((method) => ({
        kind: 'added',
        list: 'operations',
        id: `REPEAT_${method}.v1`,
        fields: [],
      })),
    ],
  },
  {
    title: '13.4 changing an alias breaks the clients of all methods of its name',
    change: ({ operations }) => {
      operations[1].alias = 'echo'
    },
    changes: ['GET', 'POST'].map((method) => ({
      kind: 'changed',
      list: 'operations',
      id: `ECHO_${method}.v1`,
      fields: [{ field: 'alias', before: 'ECHO', after: 'echo' }],
      breaks: `moves from ${method} ECHO.v1 to ${method} echo.v1: clients hold the old URL`,
    })),
  },
  {
    title: '2.27, 13.4 refusing unknown parameters breaks clients',
    change: ({ operations }) => {
      operations[1].unknownParameters = 'refuse'
    },
    changes: [
      {
        kind: 'changed',
        list: 'operations',
        id: 'ECHO_POST.v1',
        fields: [{ field: 'unknownParameters', before: undefined, after: 'refuse' }],
        breaks: 'refuses unknown parameters: clients that send them to POST ECHO.v1 are refused',
      },
    ],
  },
  {
    title: '13.4, 26.2 and requiring an Idempotency-Key',
    change: ({ operations }) => {
      operations[1].idempotency = 'required'
    },
    changes: [
      {
        kind: 'changed',
        list: 'operations',
        id: 'ECHO_POST.v1',
        fields: [{ field: 'idempotency', before: undefined, after: 'required' }],
        breaks: 'requires an Idempotency-Key: clients that call POST ECHO.v1 without one are refused',
      },
    ],
  },
  {
    title: '13.4 an operation that was not active has no clients',
    change(document) {
      document.operations.pop()
      document.permissionLists[0].operations = []
    },
    changes: [
      { kind: 'removed', list: 'operations', id: 'OFF_GET.v1', fields: [] },
      {
        kind: 'changed',
        list: 'permissionLists',
        id: 'ALL',
        fields: [{ field: 'operations', before: ['OFF_GET.v1'], after: [] }],
      },
    ],
  },
  {
    title: '13.4 removing an active node breaks the clients that have it in their URLs',
    change: ({ nodes }) => nodes.splice(1, 1),
    changes: [
      {
        kind: 'removed',
        list: 'nodes',
        id: 'OTHER',
        fields: [],
        breaks: 'is removed: clients that have it in their URLs are refused',
      },
    ],
  },
]

for (const { title, change, changes } of rows) {
  test(title, () => {
    const [before, after] = [parse(sample), changed(change)]
    assert.deepEqual(diffConfigurations(before, after), changes)
    assert.equal(digestConfiguration(before) === digestConfiguration(after), changes.length === 0)
  })
}

test('13.3 the reverse comparison has the reverse changes', () => {
  const [before, after] = [parse(sample), changed(({ operations }) => operations.splice(1, 1))]
  assert.deepEqual(diffConfigurations(after, before), [
    { kind: 'added', list: 'operations', id: 'ECHO_POST.v1', fields: [] },
  ])
})

test('18.23 added items have their fields, as many as are asked for', () => {
  const after = changed(({ services }) => services.push({ name: 'Y' }, { name: 'Z' }))
  const steps = diffSteps(parse(sample), after, { described: 1 })
  for (;;) {
    const { done, value } = steps.next()
    if (!done) continue
    assert.deepEqual(value, [
      { kind: 'added', list: 'services', id: 'Y', fields: [{ field: 'name', before: undefined, after: 'Y' }] },
      { kind: 'added', list: 'services', id: 'Z', fields: [] },
    ])
    return
  }
})

const text = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom("it's", '"', '\\', '\n', 'ß☃😀', '\u2028'),
)
const generated = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.record(
        {
          method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE'),
          version: fc.constantFrom('v1', 'v2'),
          description: text,
          isActive: fc.boolean(),
          verification: fc.constantFrom('NONE', 'Basic', 'OAuth2'),
          uriTemplates: fc.constantFrom([], ['/'], ['a', 'b/c'], ['it%27s?x=y']),
          responseMessage: fc.record({ contentType: fc.constantFrom('text/plain', 'a/b; c="d"') }),
          faultMessage: fc.record({ httpCode: fc.constantFrom(500, 422) }),
          cacheKeyPolicy: fc.constantFrom('shared', 'perOperator'),
          logDetail: fc.constantFrom('none', 'header'),
          timeout: fc.constantFrom('5s', '1 min'),
          deprecated: fc.record({ since: fc.constant('2026-12-31'), successor: fc.constant('ECHO_GET.v1') }),
        },
        { requiredKeys: ['method', 'version'] },
      ),
      { minLength: 1, maxLength: 12 },
    ),
  )
  .map(([isPortable, fields]) =>
    parse({
      ...sample,
      ...(isPortable && { databaseValues: 'portable' }),
      operations: [
        ...sample.operations,
        ...fields.map((field, index) => ({ service: 'S', name: `NAME_${index}`, handler: `h.ts#H${index}`, ...field })),
      ],
    }),
  )

test('13.3, 13.4, 18.23 the changes of a large configuration are found in small steps, with calls in between', () => {
  const many = Array.from({ length: 200 }, (_, at) => ({
    service: 'S',
    name: `MANY_${at}`,
    method: 'GET',
    handler: `h.ts#H${at}`,
  }))
  const of = (operations: readonly object[]) => parse({ ...sample, operations: [...sample.operations, ...operations] })
  const [before, after] = [of(many), of(many.slice(1))]
  const count = (steps: Generator<void, unknown>) => {
    let taken = 0
    while (!steps.next().done) taken += 1
    return taken
  }
  assert.ok(count(diffSteps(before, after)) > 2 * 200)
  assert.ok(count(documentSteps(before)) >= 200)
  assert.ok(count(digestSteps(before)) > 2 * 200)
})

test('13.1, 13.2 reading a document returns the configuration that it was written from, whatever its texts', () => {
  fc.assert(
    fc.property(generated, (configuration) => {
      const document = writeDocument(configuration)
      assert.match(document, /^[\n -~]*$/)
      const read = run(readDocument(document))
      assert.deepEqual(read, JSON.parse(JSON.stringify(configuration)))
      assert.deepEqual(JSON.parse(document), read)
      assert.deepEqual(diffConfigurations(configuration, read), [])
    }),
  )
})

test('13.2 omitted defaults are restored', () => {
  fc.assert(
    fc.property(generated, (configuration) => {
      const definition = withoutDefaults(configuration)
      assert.deepEqual(parse(definition), configuration)
      assert.ok(JSON.stringify(definition).length < JSON.stringify(configuration).length)
    }),
  )
})

function run<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const folder = mkdtempSync(join(tmpdir(), 'ig-export-'))
after(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(join(folder, 'node_modules'))
symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/integration-gateway'))
let files = 0

/** What an author would have in `gateway.config.ts`, loaded as TypeScript. */
async function exportAndLoad(configuration: Configuration): Promise<Configuration> {
  const file = join(folder, `gateway-${++files}.config.mts`)
  const literal = writeLiteral(withoutDefaults(configuration))
  writeFileSync(file, `import { defineGateway } from 'integration-gateway'\nexport default defineGateway(${literal})\n`)
  const { default: definition } = (await import(pathToFileURL(file).href)) as { default: GatewayDefinition }
  return parse(definition)
}

test('13.2 the reference project, exported and read again, is the same', async () => {
  const { configuration } = await openProject(referenceFolder)
  assert.deepEqual(await exportAndLoad(configuration), configuration)
})

test('13.2 a project of 1,000 operations, exported and read again, is the same', async () => {
  const configurations = fc.sample(generated, { numRuns: 400, seed: 7 })
  const operations = configurations
    .flatMap((configuration) => configuration.operations.slice(sample.operations.length))
    .slice(0, 1000)
    .map((operation, index) => ({ ...operation, name: `NAME_${index}` }))
  assert.equal(operations.length, 1000)
  const configuration = parse({ ...sample, operations: [...sample.operations, ...operations] })
  assert.deepEqual(await exportAndLoad(configuration), configuration)
})
