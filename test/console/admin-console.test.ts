/** What the administration plane has for the console: its files, URI templates tried, calls tried (specification 19). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { makeProject } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'
import { poll } from '../support/poll.ts'
import { runVerb } from '../support/run-verb.ts'

const database = findDatabase('SQLite')
const uriTemplates = ['echo/{parameter1}', 'echo/?value-to-echo={parameter1}']
const elements = { parameter1: { type: 'String' } }

test('19.1, 18.13 the page has a new nonce each time and is never stored; the files that it loads are compressed and cached forever', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  assert.deepEqual([(await ask('GET /', { as: 'nobody' })).headers.get('location')], ['/console'])
  const pages = await Promise.all(
    ['/console', '/console/operators/A%2FB'].map((path) => ask(`GET ${path}`, { as: 'nobody' })),
  )
  const nonces = pages.map(({ status, headers, body }) => {
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /style-src 'self' 'nonce-([^']{20,})'/.exec(policy) ?? []
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'])
    assert.doesNotMatch(policy, /unsafe/)
    assert.ok(body.includes(`<meta name="csp-nonce" content="${nonce}">`))
    assert.doesNotMatch(body, /<script(?![^>]* src=)|<style|%CSP_NONCE%/)
    return nonce
  })
  assert.equal(new Set(nonces).size, 2)
  const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(pages[0]?.body) ?? []
  const asset = await ask(`GET ${script}`, { headers: { 'accept-encoding': 'gzip' } })
  assert.deepEqual(
    ['content-type', 'content-encoding', 'vary', 'cache-control'].map((name) => asset.headers.get(name)),
    ['text/javascript; charset=utf-8', 'gzip', 'accept-encoding', 'public, max-age=31536000, immutable'],
  )
  const better = await ask(`GET ${script}`, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.deepEqual([better.headers.get('content-encoding'), better.body], ['br', asset.body])
  const lengthOf = ({ headers }: typeof asset) => Number(headers.get('content-length'))
  assert.ok(lengthOf(better) < lengthOf(asset))
  const plain = await ask(`GET ${script}`, { headers: { 'accept-encoding': 'gzip;q=0, br;q=0' } })
  assert.deepEqual([plain.headers.get('content-encoding'), plain.body], [null, asset.body])
  assert.equal((await ask(`GET ${script}.br`)).status, 404)

  assert.deepEqual(
    pages.map(({ headers }) => headers.get('link')),
    [null, null],
  )
  const namesOf = async (path: string) => {
    const link = (await ask(`GET ${path}`)).headers.get('link') ?? ''
    assert.match(link, /^<\/api\/session>; rel=preload; as=fetch; crossorigin, /)
    const scripts = [...link.matchAll(/<(\/console\/assets\/[^>]+)>; rel=modulepreload/g)].map(([, name = '']) => name)
    for (const name of scripts) assert.equal((await ask(`GET ${name}`)).status, 200)
    return scripts.map((name) => name.replace(/^.*\/|-[\w-]{8}\.js$/g, ''))
  }
  assert.ok((await namesOf('/console')).includes('overview'))
  assert.ok((await namesOf('/console/nodes')).includes('configuration'))
  const ofItem = await namesOf('/console/operations/ECHO_GET.v1?tab=uri')
  assert.ok(['configuration', 'operation-editor'].every((name) => ofItem.includes(name)))
  assert.equal((await ask('GET /console/assets/..%2Findex.html', { as: 'nobody' })).status, 404)
})

test('15.5 a URL is matched against templates that are being edited, and one is built from them', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const match = async (path: string, templates = uriTemplates) =>
    (await ask('POST /api/uri-templates/match', { as: 'viewer', body: { uriTemplates: templates, elements, path } }))
      .body
  assert.deepEqual(await match('echo/x'), {
    templates: [
      { index: 1, source: uriTemplates[0], isMatch: true, reason: '' },
      { index: 2, source: uriTemplates[1], isMatch: false, reason: 'segment 2 is "x", not empty' },
    ],
    values: { parameter1: 'x' },
    refusal: null,
  })
  assert.equal((await match('/other')).refusal, 'No URI template of the operation matches.')
  const faulty = await match('/x', ['{a', '{nowhere}'])
  assert.deepEqual(
    [faulty.code, faulty.problems.map(({ path }: { path: string }) => path)],
    ['invalid', ['uriTemplates[0]', 'uriTemplates[1]']],
  )
  const build = async (values: object, index = 1) =>
    (await ask('POST /api/uri-templates/build', { as: 'viewer', body: { uriTemplates, elements, index, values } })).body
  assert.deepEqual(await build({ parameter1: 'a b/ü' }), { path: '/echo/a%20b%2F%C3%BC', fault: null })
  assert.equal((await build({})).path, null)
  assert.match((await build({})).fault, /parameter1/)
  assert.equal((await build({}, 3)).code, 'invalid')
})

test('19.11 only an administrator tries a call, as any operator: the response, what each step decided, and an audit entry', async (t) => {
  const { ask, observations } = await openTestAdmin(t, { database })
  const attempt = (body: object) => ask('POST /api/try', { body: { method: 'GET', path: '/ECHO.v1/echo/x', ...body } })
  const { status, body } = await attempt({ operator: 'DEMO' })
  assert.deepEqual([status, body.status, body.isText], [200, 200, true])
  assert.match(body.body, /x/)
  assert.deepEqual(
    body.decisions.map(({ step, outcome }: { step: string; outcome: string }) => `${step} ${outcome}`),
    ['target', 'operation', 'authentication', 'permission', 'uri', 'cache', 'handler'].map((step) => `${step} passed`),
  )
  assert.equal(observations.filter(({ kind }) => kind === 'answered').length, 1, 'the call is logged, once')

  const refused = (await attempt({ path: '/KEY_VALUE.v1/a', operator: 'NOPERM' })).body
  const permission = refused.decisions.find(({ step }: { step: string }) => step === 'permission')
  assert.deepEqual([permission.outcome, permission.refusal], ['refused', 'permissionDenied'])
  assert.match((await attempt({ operator: 'LOCKED', path: '/KEY_VALUE.v1/a' })).body.decisions[2].text, /locked/)
  assert.deepEqual([(await attempt({ operator: 'NOBODY' })).body.code], ['notFound'])
  const headers = [{ name: 'Authorization', value: 'Basic eDp5' }]
  assert.equal((await attempt({ operator: 'DEMO', headers })).body.code, 'invalid')
  assert.equal((await attempt({ headers: [{ name: 'a', value: 'b\r\nc: d' }] })).body.code, 'invalid')
  const [entry] = (await ask('GET /api/audit?action=tryCall&limit=1')).body.items
  assert.equal(entry.subject, 'GET /KEY_VALUE.v1/a')

  const long = `<request><row><key>long</key><value>${'ü'.repeat(300_000)}</value></row></request>`
  assert.equal(
    (await attempt({ method: 'POST', path: '/KEY_VALUE.v1', operator: 'DEMO', body: long })).body.status,
    200,
  )
  const cut = (await attempt({ path: '/KEY_VALUE.v1/long', operator: 'DEMO' })).body
  assert.deepEqual([cut.isText, cut.size > 600_000, /^<\?xml.*üü$/s.test(cut.body)], [true, true, true])
  assert.ok(Buffer.byteLength(cut.body) > 256 * 1024 - 2 && Buffer.byteLength(cut.body) <= 256 * 1024)
})

test('2.31, 15.1, 19.11 the body limit of an operation applies to Try it and to ig try', async (t) => {
  const folder = makeProject({
    'gateway.config.js': `export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'SMALL' }],
  operations: [{ service: 'SMALL', name: 'SMALL', method: 'POST', bodyLimit: '1KiB', handler: 'handlers/small.js' }],
  permissionLists: [{ name: 'ALL', services: ['SMALL'] }],
}`,
    'handlers/small.js': `export default class Small {
  async onRequest(request, { broker }) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(await request.getContentString())
    return response
  }
}
`,
  })
  const { ask } = await openTestAdmin(t, { database, folder, hasOperators: false })
  assert.equal((await ask('POST /api/operators', { body: { id: 'KIM', permissionLists: ['ALL'] } })).status, 201)
  const tried = (body: string) =>
    ask('POST /api/try', { body: { method: 'POST', path: '/SMALL.v1', operator: 'KIM', body } })
  await poll(async () => (await tried('x'.repeat(1024))).body.status === 200)
  assert.equal((await tried('x'.repeat(1025))).body.status, 413)

  const env = {
    ...process.env,
    IG_DATABASE: `${folder}/other.sqlite`,
    IG_SECRETKEY: 'a secret key of more than 32 characters',
  }
  const ig = (...args: readonly string[]) => runVerb(args, { cwd: folder, env, input: '' })
  assert.equal((await ig('operator', 'add', 'KIM', '--permission-list', 'ALL', '--no-password')).code, 0)
  const { stdout } = await ig('try', 'POST', '/SMALL.v1', '--as', 'KIM', '--body', 'x'.repeat(1025))
  assert.match(stdout, /^413\n/)
})
