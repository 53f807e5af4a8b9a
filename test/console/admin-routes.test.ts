/** Every route of the administration plane, from the list that Fastify itself has: who is refused, and that all is documented (specification 18). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import SwaggerParser from '@apidevtools/swagger-parser'
import { type Role, roles } from '../../src/actions/roles.ts'
import { routes as table } from '../../src/admin/routes/routes.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'

/** Whatever else is found must ask who is there. */
const pages = ['/', '/console', '/docs', '/openapi.json', '/reference', '/setup']
const manyPages = ['/console*', '/console/assets/:name', '/docs*'] // so Fastify prints /console/* and /docs/*
const open = [
  ...[...pages, ...manyPages].sort().flatMap((page) => [`GET ${page}`, `HEAD ${page}`]),
  'GET /api/session/provider',
  'GET /api/session/provider/callback',
  'GET /api/sign-in',
  'POST /api/invitation',
  'POST /api/session',
  'POST /api/session/second-factor',
].sort()

/** The least role that each changing route asks for; a reading one asks for `viewer`, but for those of `people` and `messages`. */
const changing: Readonly<Record<string, Role>> = {
  'DELETE /api/session': 'viewer',
  'PUT /api/session/password': 'viewer',
  'POST /api/session/second-factors/totp': 'viewer',
  'POST /api/session/second-factors/totp/confirmation': 'viewer',
  'POST /api/session/second-factors/passkey': 'viewer',
  'POST /api/session/second-factors/passkey/confirmation': 'viewer',
  'POST /api/session/second-factors/:id/removal': 'viewer',
  'POST /api/session/recovery-codes': 'viewer',
  'POST /api/tokens': 'viewer',
  'DELETE /api/tokens/:id': 'viewer',
  'POST /api/uri-templates/match': 'viewer',
  'POST /api/uri-templates/build': 'viewer',
  'PUT /api/operators/:id/lock': 'operator',
  'DELETE /api/operators/:id/lock': 'operator',
  'PUT /api/operators/:id/permission-lists/:permissionList': 'operator',
  'DELETE /api/operators/:id/permission-lists/:permissionList': 'operator',
  'PUT /api/permission-lists/:id/operators': 'operator',
  'DELETE /api/operators/:id/session-tokens': 'operator',
  'POST /api/session-token-revocations': 'operator',
  'DELETE /api/rest-cache/:operation': 'operator',
  'DELETE /api/rest-cache/:operation/entry': 'operator',
  'PUT /api/alerts/:id/silence': 'operator',
  'DELETE /api/alerts/:id/silence': 'operator',
}
const people = ['GET /api/handlers', 'GET /api/administrators', 'GET /api/administrators/:name', 'GET /api/audit/chain']
const messages = ['GET /api/monitor/transactions/:transactionId/messages']
const roleOf = (route: string): Role => {
  if (messages.includes(route)) return 'operator'
  if (route.startsWith('GET ')) return people.includes(route) ? 'administrator' : 'viewer'
  return changing[route] ?? 'administrator'
}
const isSafe = (route: string) => /^(GET|HEAD) /.test(route)
const fill = (route: string) => route.replace(/:\w+/g, '1')

async function openRoutes(t: Parameters<typeof openTestAdmin>[0]) {
  const opened = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const app = await opened.admin.app()
  const routes = readRoutes(app.printRoutes({ commonPrefix: false, includeHooks: false }))
  assert.ok(routes.length > 100, `only ${routes.length} routes found`)
  return { ...opened, routes, closed: routes.filter((route) => !open.includes(route)) }
}

/** Fastify prints its routes as a tree, a path segment a line. */
function readRoutes(tree: string): string[] {
  const stack: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── ([^ ]*)(?: \(([^)]*)\))?$/.exec(line) ?? []
    if (part === '') return []
    stack[indent.length / 4] = part
    const path = stack.slice(0, indent.length / 4 + 1).join('')
    return methods ? methods.split(', ').map((method) => `${method} ${path}`) : []
  })
}

test('18.8 without a session every route except the few open ones is refused', async (t) => {
  const { ask, routes, closed, admin } = await openRoutes(t)
  assert.deepEqual(routes.filter((route) => open.includes(route)).sort(), open)
  for (const route of closed) {
    const { status, body, headers } = await ask(fill(route), { as: 'nobody' })
    assert.deepEqual(
      [route, status, body.code, headers.get('content-type')],
      [route, 401, 'unauthenticated', 'application/problem+json; charset=utf-8'],
    )
    const forged = { cookie: `ig-admin-${new URL(admin.url).port}=x`, authorization: `Bearer ${'x'.repeat(43)}` }
    assert.equal((await ask(fill(route), { headers: { cookie: forged.cookie } })).status, 401, route)
    assert.equal((await ask(fill(route), { headers: forged })).status, 401, route)
  }
})

test('18.8 with a lesser role every route is refused', async (t) => {
  const { ask, closed } = await openRoutes(t)
  for (const route of closed) {
    for (const role of roles.slice(0, roles.indexOf(roleOf(route)))) {
      const { status, body } = await ask(fill(route), { as: role })
      assert.deepEqual([route, role, status, body.code], [route, role, 403, 'roleMissing'])
    }
  }
})

test('18.8 with the required role no route is refused', async (t) => {
  const { ask, closed } = await openRoutes(t)
  const later = (route: string) => route === 'DELETE /api/session' // which ends the session
  for (const route of closed.filter((each) => !later(each))) {
    const { status, body } = await ask(fill(route), { as: roleOf(route), body: isSafe(route) ? undefined : {} })
    assert.ok(
      status !== 401 && !['roleMissing', 'csrfRejected'].includes(body?.code),
      `${route}: ${status} ${body?.code}`,
    )
    assert.notEqual(status, 500, route)
  }
})

test('18.9 without the CSRF token, with another one, or from another site every change is refused', async (t) => {
  const { ask, closed, sessionOf, admin } = await openRoutes(t)
  const session = await sessionOf('administrator')
  const { cookie = '' } = session
  const other = (await sessionOf('viewer'))['x-csrf-token'] ?? ''
  for (const route of closed.filter((each) => !isSafe(each))) {
    const codes: string[] = []
    const attempts: Readonly<Record<string, string>>[] = [
      { cookie },
      { cookie, 'x-csrf-token': '' },
      { cookie, 'x-csrf-token': other },
      { ...session, origin: 'http://127.0.0.1:1' },
      { ...session, origin: 'null' },
      { ...session, 'sec-fetch-site': 'same-site' },
      { ...session, 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of attempts) {
      const { status, body } = await ask(fill(route), { headers })
      assert.equal(status, 403, `${route} with ${Object.keys(headers)}`)
      codes.push(body.code)
    }
    assert.deepEqual(codes, [...Array(3).fill('csrfRejected'), ...Array(4).fill('originRejected')], route)
  }
  for (const route of open.filter((each) => !isSafe(each)))
    assert.equal((await ask(route, { headers: { origin: 'http://example.com' } })).body.code, 'originRejected', route)
  assert.equal(
    (await ask('POST /api/drafts', { headers: { ...session, origin: admin.url }, body: { title: 'x' } })).status,
    201,
  )
})

test('18.13 every response has the security headers, and a strict CSP', async (t) => {
  const { ask, routes } = await openRoutes(t)
  for (const route of [...routes.map(fill), 'GET /nowhere', 'POST /api']) {
    const { headers } = await ask(route, { as: 'nobody' })
    const csp = headers.get('content-security-policy') ?? ''
    assert.match(csp, /default-src 'none'; script-src 'self';.*frame-ancestors 'none'/, route)
    assert.doesNotMatch(csp, /unsafe/, route)
    assert.deepEqual(
      [
        'x-content-type-options',
        'x-frame-options',
        'referrer-policy',
        'cross-origin-opener-policy',
        'cache-control',
      ].map((name) => headers.get(name)),
      ['nosniff', 'DENY', 'no-referrer', 'same-origin', 'no-store'],
      route,
    )
  }
})

test('18.14 the OpenAPI has every route of the API once, is valid, and says what members are', async (t) => {
  const { ask, routes } = await openRoutes(t)
  const { body } = await ask('GET /openapi.json', { as: 'nobody' })
  const documented = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  assert.deepEqual(documented.sort(), routes.filter((route) => route.includes(' /api/')).sort())
  const ids = Object.values(body.paths as Record<string, Record<string, { operationId: string }>>).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  assert.equal(new Set(ids).size, ids.length)
  await SwaggerParser.validate(structuredClone(body))
  const { DraftLimit, LimitInput } = body.components.schemas
  assert.equal(DraftLimit.properties.etag.description, 'For If-Match, in quotation marks')
  const { per, services } = LimitInput.properties
  assert.deepEqual([per.title, per.description], ['Per', 'The time in which `calls` are allowed: `1s`, `1min`, `24h`'])
  assert.deepEqual([services.title, services['x-form']], ['Only services', { of: 'services' }])
  assert.equal(JSON.stringify(body).includes('"readOnly":true'), false, 'clients do not send such members')
})

type Schema = Readonly<Record<string, unknown>>

/** The objects of a schema and of all that it refers to. */
function* objectsOf(schema: unknown, components: Schema, seen = new Set<unknown>()): Iterable<Schema> {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  const { $ref, type } = schema as Schema
  if (typeof $ref === 'string') yield* objectsOf(components[$ref.split('/').at(-1) ?? ''], components, seen)
  if (type === 'object') yield schema as Schema
  for (const inner of Object.values(schema)) yield* objectsOf(inner, components, seen)
}

test('18.18 a member of a body and a parameter that an action does not have are refused by their names, and change nothing', async (t) => {
  const { ask } = await openRoutes(t)
  const last = async () => (await ask('GET /api/audit?limit=1')).body.items[0].sequence
  const { paths, components } = (await ask('GET /openapi.json', { as: 'nobody' })).body
  const before = await last()
  for (const { operationId, method, path, body, example = {} } of table.filter(
    ({ refusedAt }) => refusedAt === undefined,
  )) {
    const line = `${method} ${fill(path.replace(':log', 'message'))}${path.endsWith('/entry') ? '?url=x&' : '?'}`
    const requireRefused = async (place: string, target: string, sent: unknown) => {
      const refused = await ask(target, { body: sent, ifMatch: '"x"' })
      const named = refused.body.problems?.map((problem: { path: string }) => problem.path)
      assert.deepEqual([line, place, refused.status, refused.body.code], [line, place, 400, 'invalid'])
      assert.ok(named.includes('nowhere'), `${line} ${place} ${named}`)
    }
    await requireRefused('query', `${line}nowhere=1`, body && example)
    if (method === 'GET') continue
    const { requestBody } = paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()]
    const objects = [...objectsOf(requestBody?.content['application/json'].schema, components.schemas)]
    for (const object of objects) assert.ok('additionalProperties' in object, `${line} ${JSON.stringify(object)}`)
    const isDraftItem = body && objects[0]?.additionalProperties !== false // is stored with its errors (18.21)
    assert.ok(!isDraftItem || /^(?:add|replace)Draft/.test(operationId), line)
    if (!isDraftItem) await requireRefused('body', line, { ...(example as object), nowhere: 1 })
  }
  assert.equal(await last(), before)
  const { problems } = (await ask('PUT /api/activation', { body: { revision: 1, dryrun: true }, ifMatch: '"x"' })).body
  assert.deepEqual(problems, [{ path: 'dryrun', message: 'is not a known field; did you mean dryRun?' }])
})

test('18.14 HEAD of a page is answered like GET, without a body', async (t) => {
  const { ask } = await openRoutes(t)
  for (const page of pages) {
    const [get, head] = [await ask(`GET ${page}`, { as: 'nobody' }), await ask(`HEAD ${page}`, { as: 'nobody' })]
    const facts = ({ status, headers }: typeof get) => [
      status,
      ...['content-type', 'content-length', 'location'].map((name) => headers.get(name)),
    ]
    assert.deepEqual(facts(head), facts(get), page)
    assert.equal(head.body, '', page)
  }
})

test('18.14 the reference is a page whose script and styles are files of the listener', async (t) => {
  const { ask } = await openRoutes(t)
  const { body, headers, status } = await ask('GET /reference', { as: 'nobody' })
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/)
  assert.doesNotMatch(body, /<script(?![^>]* src=)|<style|https?:/)
  const files = [...body.matchAll(/(?:src|href)="(\/console[^"]+)"/g)].map(([, file]) => file)
  for (const extension of ['js', 'css'])
    assert.ok(
      files.some((file) => file?.endsWith(`.${extension}`)),
      extension,
    )
  for (const file of files) assert.equal((await ask(`GET ${file}`, { as: 'nobody' })).status, 200, file)
})
