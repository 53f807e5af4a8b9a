/** What `ig check` warns of in a sound project. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDoubtfulCaching } from '../src/cli/find-doubtful-caching.ts'
import { findWarnings } from '../src/model/find-warnings.ts'
import type { HandlerClass } from '../src/model/handler.ts'
import { openProject } from '../src/project.ts'
import { referenceFolder } from './support/gateway.ts'

const project = await openProject(referenceFolder)
const { configuration } = project
const cached = configuration.operations.find(({ name }) => name === 'CACHED_TIME')
assert.ok(cached)

test('2.14 a document template on an operation without variables is a warning', () => {
  const operations = configuration.operations.map((operation) =>
    operation.name === 'METADATA' ? { ...operation, documentTemplate: 'ECHO_PARAMETERS' } : operation,
  )
  const index = operations.findIndex(({ name }) => name === 'METADATA')
  assert.deepEqual(findWarnings(configuration), [])
  assert.deepEqual(findWarnings({ ...configuration, operations }), [
    {
      path: `operations[${index}].documentTemplate`,
      message: 'has no effect: no URI template has a variable for it. Leave it out, or name an element in a template',
    },
  ])
})

/** As a class writes itself: what `String(handler)` gives. */
const handlers: readonly { readonly text: string; readonly isDoubtful: boolean }[] = [
  { isDoubtful: true, text: 'onRequest(request, context) { use(context.operator.id); response.setRestCache(1) }' },
  { isDoubtful: true, text: 'onRequest(request, { operator, broker }) { response.setRestCache(1) }' },
  { isDoubtful: true, text: 'async onRequest(request, ctx) { const { operator } = ctx; message.setRestCache(1) }' },
  { isDoubtful: true, text: `onRequest(_, context) { return make(\`\${context.operator.id}\`).setRestCache(1) }` },
  { isDoubtful: false, text: 'onRequest(request, context) { request.setRestCache(1); use(context.operator.id) }' },
  { isDoubtful: false, text: 'onRequest(request, { broker }) { request.setRestCache(1); log({ operator: 1 }) }' },
  { isDoubtful: false, text: 'onRequest(request, context) { response.setRestCache(1); /* { no operator } */ }' },
  { isDoubtful: false, text: 'onRequest(request, context) { response.setRestCache(1); say("context.operator") }' },
  { isDoubtful: false, text: 'onRequest(request, context) { response.setRestCache(1); sum({ operator: "+" }) }' },
  { isDoubtful: false, text: 'onRequest(request, context) { use(context.operator.id) }' },
]
for (const { text, isDoubtful } of handlers) {
  test(`6.9 ig check ${isDoubtful ? 'reports' : 'does not report'} ${text}`, () => {
    const found = findDoubtfulCaching({
      ...project,
      configuration: { ...configuration, operations: [{ ...cached, cacheKeyPolicy: undefined }] },
      handlers: new Map([[cached.handler ?? '', { toString: () => `class { ${text} }` } as unknown as HandlerClass]]),
    })
    assert.deepEqual(
      found.map(({ path }) => path),
      isDoubtful ? ['operations[0].cacheKeyPolicy'] : [],
    )
  })
}
