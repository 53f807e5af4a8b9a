/** What `ig check` warns of in a sound project. */
import assert from 'node:assert/strict'
import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findWarnings } from '../../src/configuration/find-warnings.ts'
import { findDoubtfulCaching } from '../../src/features/rest-cache/find-doubtful-caching.ts'
import type { HandlerClass } from '../../src/model/handler.ts'
import { operationIdOf } from '../../src/model/operation-name.ts'
import { findIdleFaultFields } from '../../src/project/find-handler-warnings.ts'
import { openProject } from '../../src/project/open-project.ts'
import { makeCertificate } from '../support/certificate.ts'
import { copyReference, ig, serve } from '../support/cli.ts'
import { referenceFolder } from '../support/gateway.ts'

const project = await openProject(referenceFolder)
const { configuration } = project
const folders = { handlerFolders: ['handlers/'] }
const cached = configuration.operations.find(({ name }) => name === 'CACHED_TIME')
assert.ok(cached)

test('26.2, 26.11 idempotency that has no effect is a warning', () => {
  const fields: Readonly<Record<string, object>> = {
    METADATA_BASIC: { idempotency: 'accepted' },
    METADATA: { method: 'POST', idempotency: 'required' },
    CACHED_TIME: { idempotency: 'off' },
  }
  const operations = configuration.operations.map((operation) => ({ ...operation, ...fields[operation.name] }))
  const place = (name: string) => `operations[${operations.findIndex((each) => each.name === name)}].idempotency`
  assert.deepEqual(findWarnings({ ...configuration, operations }, folders), [
    {
      path: place('METADATA'),
      message: 'has no effect on calls without credentials, which NONE allows',
    },
    {
      path: place('METADATA_BASIC'),
      message: 'has no effect: a GET can be repeated without a key. Leave it out',
    },
  ])
})

test('3.3 an active operation that no permission list has is a warning', () => {
  const [first] = configuration.operations
  assert.ok(first)
  const operations = [
    first,
    { ...first, name: 'OPEN', verification: 'NONE' as const },
    { ...first, name: 'LISTED' },
    { ...first, name: 'OFF', isActive: false },
    { ...first, name: 'OTHER', service: 'LISTED_SERVICE' },
  ]
  const permissionLists = [
    { name: 'SOME', description: '', services: ['LISTED_SERVICE'], operations: ['LISTED_GET.v1'] },
  ]
  const warned = findWarnings({ ...configuration, operations, permissionLists }, folders)
  const message = (id: string) =>
    `may be called by no one: no permission list has ${id} or its service ${first.service}`
  assert.deepEqual(warned, [
    { path: 'operations[0]', message: message(operationIdOf(first)) },
    { path: 'operations[1]', message: message('OPEN_GET.v1') },
  ])
  const listed = [{ name: 'ALL', description: '', services: [first.service, 'LISTED_SERVICE'], operations: [] }]
  assert.deepEqual(findWarnings({ ...configuration, operations, permissionLists: listed }, folders), [])
})

test('2.14 a document template on an operation without variables is a warning', () => {
  const operations = configuration.operations.map((operation) =>
    operation.name === 'METADATA' ? { ...operation, documentTemplate: 'ECHO_PARAMETERS' } : operation,
  )
  const index = operations.findIndex(({ name }) => name === 'METADATA')
  assert.deepEqual(findWarnings(configuration, folders), [])
  assert.deepEqual(findWarnings({ ...configuration, operations }, folders), [
    {
      path: `operations[${index}].documentTemplate`,
      message: 'has no effect: no URI template has a variable for it. Leave it out, or name an element in a template',
    },
  ])
})

test('5.5 the status or type of an onError that does not exist is a warning', () => {
  class Parent {
    onError = () => 'x'
  }
  const classes: readonly HandlerClass[] = [
    class {
      onErrorHttpResponseCode = 409
    },
    class {
      onErrorHttpResponseCode = 409
      onError() {
        return ''
      }
    },
    class extends Parent {
      onErrorContentType = 'a/b'
      override onError = () => 'y'
    },
  ] as never
  const found = classes.map((handler) => {
    const handlers = new Map([['handlers/a.ts', handler]])
    const [operation] = configuration.operations
    const operations = [{ ...operation, handler: 'handlers/a.ts' }] as never
    return findIdleFaultFields({ ...project, handlers, configuration: { ...configuration, operations } })
  })
  const message = 'has onErrorHttpResponseCode without onError, so it has no effect'
  assert.deepEqual(found, [[{ path: 'operations[0].handler', message }], [], []])
})

test('18.36 a handler outside the folders of handlers is a warning, and is still served', async () => {
  const operations = configuration.operations.slice(0, 1).map((operation) => ({ ...operation, handler: 'lib/a.ts#A' }))
  const warned = (...handlerFolders: string[]) => findWarnings({ ...configuration, operations }, { handlerFolders })
  assert.deepEqual(warned('handlers/', 'src/'), [
    {
      path: 'operations[0].handler',
      message:
        'names lib/a.ts, which is outside the handler folders (ig.handlerFolders: handlers/, src/). Move it there, or add its folder to the setting',
    },
  ])
  for (const folders of [['handlers/', 'lib/'], ['']]) assert.deepEqual(warned(...folders), [])
})

test('3.21 a service app that specifies no audience is a warning, except that of the sample issuer', () => {
  const app = { name: 'PROVIDER', issuer: 'https://id.example.com' }
  const warned = (...apps: readonly object[]) =>
    findWarnings({ ...configuration, oauth2ServiceApps: apps as typeof configuration.oauth2ServiceApps }, folders)
  assert.deepEqual(warned({ ...app, audience: ['gateway'] }), [])
  const metadataUrl = 'https://id.example.com/.well-known/openid-configuration'
  for (const without of [app, { name: 'PROVIDER', metadataUrl }]) {
    assert.deepEqual(warned({ ...app, audience: ['gateway'] }, without), [
      {
        path: 'oauth2ServiceApps[1].audience',
        message:
          'is missing: any access token of this provider is accepted, even one for another API. Set the audience of this gateway',
      },
    ])
  }
})

test('3.21, 5.21, 7.14, 7.15, 18.36 ig check and a start warn about what is open to others, and active code is served', async () => {
  const config = readFileSync(join(referenceFolder, 'gateway.config.ts'), 'utf8')
  const properties = readFileSync(join(referenceFolder, 'integrationGateway.properties'), 'utf8')
  const metadata = readFileSync(join(referenceFolder, 'handlers/metadata.ts'), 'utf8')
  const { cert, key } = makeCertificate()
  const own = 'ig.handlerFolders=lib\nig.tls.cert=cert.pem\nig.tls.key=key.pem\nig.tls.port=0\nig.host=0.0.0.0\n'
  const folder = copyReference({
    'gateway.config.ts': config.replaceAll('http://127.0.0.1:8090', 'https://id.example.com'),
    'integrationGateway.properties': `${properties}\n${own}`,
    'cert.pem': cert,
    'key.pem': key,
    'handlers/metadata.ts': metadata.replace(
      'implements Handler {',
      'implements Handler {\n  static requestSchema = {}',
    ),
  })
  chmodSync(join(folder, 'key.pem'), 0o644)
  const warnings = [
    /^warning: ig\.tls\.key can be read or changed by other users \(mode 644\): chmod 600/m,
    /^warning: oauth2ServiceApps\[0\]\.audience is missing: any access token of this provider is accepted/m,
    /^warning: operations\[0\]\.handler names handlers\/metadata\.ts, which is outside the handler folders/m,
  ]
  const { code, stderr } = await ig(['check', folder])
  assert.equal(code, 0)
  const ofCheck = [
    /^warning: ig\.host accepts calls in plain text from every network/m,
    /^warning: operations\[0\]\.handler names a class whose requestSchema is not a Standard Schema/m,
  ]
  for (const warning of [...warnings, ...ofCheck]) assert.match(stderr, warning)
  const serving = serve(['start', folder, '--host', '127.0.0.1', '--port', '0'])
  for (const warning of warnings) await serving.until(warning)
  await serving.stop()
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
      handlers: new Map([[String(cached.handler), { toString: () => `class { ${text} }` } as unknown as HandlerClass]]),
    })
    assert.deepEqual(
      found.map(({ path }) => path),
      isDoubtful ? ['operations[0].cacheKeyPolicy'] : [],
    )
  })
}
