/** What an import makes of declarations that differ, answers that pass and items that are broken (specification 16.9, 16.17, 16.18). */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openProject } from '../../src/project/open-project.ts'
import { ig, makeProject } from '../support/cli.ts'

const base = 'https://hr.example.com/PSIGW/RESTListeningConnector/PSFT_HR'

type Headers = Readonly<Record<string, string>>
const pairs = (headers: Headers = {}) => Object.entries(headers).map(([name, value]) => ({ name, value }))

interface Entry {
  readonly path?: string
  readonly method?: string
  readonly status?: number
  readonly text?: string
  readonly encoding?: string
  readonly headers?: Headers
  readonly answer?: Headers
}

const entryOf = ({ path = '/A.v1/1', method = 'GET', status = 200, text = 'ok', ...more }: Entry) => ({
  request: { method, url: base + path, headers: pairs(more.headers) },
  response: {
    status,
    headers: pairs(more.answer),
    content: { size: text.length, mimeType: 'text/plain', text, ...(more.encoding && { encoding: more.encoding }) },
  },
})

const har = (...entries: readonly unknown[]) => JSON.stringify({ log: { entries } })

const note = ({ path, message }: { readonly path: string; readonly message: string }) => `${path} ${message}`

/** @returns what `--json` prints, and verification and rows of each operation that was written */
async function importFile(kind: string, file: string, text: string, ...args: readonly string[]) {
  const cwd = makeProject({ [file]: text })
  const { code, stdout } = await ig(['import', kind, file, '--into', 'made', '--json', ...args], { cwd })
  const { notices, problems } = JSON.parse(stdout)
  const isWritten = existsSync(join(cwd, 'made'))
  const operations = isWritten ? (await openProject(join(cwd, 'made'))).configuration.operations : []
  const made = operations.map(({ name, verification, ...fields }) => {
    const rows: readonly { readonly status?: number }[] = Reflect.get(fields, 'fixture') ?? []
    return { name, verification, rows: rows.map(({ status = 200 }) => status) }
  })
  return { code, made, notes: notices.map(note) as string[], problems: problems.map(note) as string[] }
}

const basic = { authorization: 'Basic eDp5' }
const challenge = { 'www-authenticate': 'Basic realm="HR"' }

test('16.17, 16.18 of a 401 with a challenge and the answer that follows, the answer is the row and the challenge the verification', async () => {
  for (const headers of [basic, {}]) {
    const { made, notes } = await importFile(
      'requests',
      'r.har',
      har(entryOf({ status: 401, text: '', answer: challenge }), entryOf({ headers })),
      '--no-any',
    )
    assert.deepEqual(made, [{ name: 'A', verification: 'Basic', rows: [200] }])
    assert.deepEqual(notes, [
      ...(headers === basic
        ? []
        : ['log.entries[1] has no credentials: other calls of A.v1 GET show that they are needed']),
      'log.entries[0] is left out: 401 is a passing state, and log.entries[1] answers the same request',
    ])
  }
})

const challenges: readonly (readonly [header: string, verification: string, note?: RegExp])[] = [
  ['Bearer realm="x", error="invalid_token"', 'OAuth2'],
  ['PS_TOKEN realm="x"', 'Token'],
  ['Negotiate, Basic realm="x"', 'Basic'],
  ['Bearer realm="x", Basic realm="z"', 'OAuth2'],
  ['Negotiate realm="x, Bearer y", Basic realm="z"', 'Basic'],
  ['NTLM', 'Basic', /operations get Basic verification in place of NTLM: A\.v1 GET/],
]
for (const [header, verification, wanted] of challenges) {
  test(`16.18 the challenge ${header} makes the verification ${verification}`, async () => {
    const answer = { 'www-authenticate': header }
    const { made, notes } = await importFile('requests', 'r.har', har(entryOf({ status: 401, answer }), entryOf({})))
    assert.equal(made[0]?.verification, verification)
    if (wanted) assert.match(notes.join('\n'), wanted)
  })
}

const demands: readonly (readonly [title: string, entry: Entry, verification: string])[] = [
  ['Digest', { headers: { Authorization: 'Digest username="x"' } }, 'Basic'],
  ['an API key', { headers: { 'X-Api-Key': 'x' } }, 'Basic'],
  ['a cookie', { headers: { Cookie: 'JSESSIONID=x' } }, 'Basic'],
  ['the cookie PS_TOKEN', { headers: { Cookie: 'a=b; PS_TOKEN=x' } }, 'Token'],
  ['a token in the query', { path: '/A.v1/1?access_token=x' }, 'Basic'],
  ['a 401 without a challenge', { status: 401 }, 'Basic'],
  ['a 403', { status: 403 }, 'Basic'],
  ['a call that is left out', { headers: { Authorization: 'Bearer x' }, status: 304 }, 'OAuth2'],
  ['a call with a malformed URL', { path: '/A.v1/%ff', headers: { Authorization: 'Bearer x' } }, 'OAuth2'],
  ['a header that names the caller', { headers: { 'X-Remote-User': 'x' } }, 'Basic'],
  ['a session cookie', { headers: { Cookie: 'theme=x; SMSESSION=x' } }, 'Basic'],
  ['a cookie whose name is hidden', { headers: { Cookie: '' } }, 'Basic'],
  ['a certificate that a proxy names', { headers: { 'X-SSL-Client-Cert': 'x' } }, 'Basic'],
  ['a call at .V1', { path: '/A.V1/1', headers: { Authorization: 'Bearer x' } }, 'OAuth2'],
  ['a challenge in ISO 8859-1', { status: 401, answer: { 'www-authenticate': 'Bearer realm="B\u00fcro"' } }, 'OAuth2'],
]
for (const [title, entry, verification] of demands)
  test(`16.18 ${title} means that credentials are needed, with --open, too`, async () => {
    const { made } = await importFile('requests', 'r.har', har(entryOf({}), entryOf(entry)), '--open', '--no-any')
    assert.deepEqual(
      made.map((one) => `${one.name} ${one.verification}`),
      [`A ${verification}`],
    )
  })

const doubts: readonly (readonly [title: string, entry: Entry, why: string])[] = [
  ['another cookie', { headers: { Cookie: 'theme=x; author=y' } }, 'the cookie "theme", the cookie "author"'],
  ['a header that its client alone knows', { headers: { 'X-User-Interface': 'x' } }, 'the header "X-User-Interface"'],
  ['a header with the name of a certificate format', { headers: { 'X-Certified': 'x' } }, 'the header "X-Certified"'],
  ['a redirect', { status: 302 }, 'a redirect'],
]
for (const [title, entry, why] of doubts)
  test(`16.18 ${title} may be credentials: Basic with a note that says why, or NONE with --open`, async () => {
    const text = har(entryOf({}), entryOf({ ...entry, path: '/A.v1/2' }))
    const { made, notes } = await importFile('requests', 'r.har', text, '--no-any')
    assert.equal(made[0]?.verification, 'Basic')
    const gets = `get Basic verification in place of ${why} (--open imports them with NONE): A.v1 GET`
    assert.ok(notes.includes(`operations ${gets}`), notes.join('\n'))
    const { made: opened } = await importFile('requests', 'r.har', text, '--no-any', '--open')
    assert.equal(opened[0]?.verification, 'NONE')
  })

test('16.9, 16.18 headers, cookies and parameters of a HAR that are no lists are noted, and mean that credentials are needed', async () => {
  for (const [name, value] of [
    ['headers', { authorization: 'Basic x' }],
    ['headers', [{ key: 'authorization' }]],
    ['cookies', 'PS_TOKEN=x'],
    ['queryString', { access_token: 'x' }],
    ['headers', [null]],
  ] as const) {
    const entry = entryOf({ path: '/A.v1/2' })
    const broken = { ...entry, request: { ...entry.request, [name]: value } }
    const { made, notes } = await importFile('requests', 'r.har', har(entryOf({}), broken), '--no-any', '--open')
    assert.equal(made[0]?.verification, 'Basic', name)
    assert.ok(notes.includes(`log.entries[1] has ${name} that cannot be read: no list of names and values`))
    assert.ok(notes.includes(`operations get Basic verification in place of ${name} that cannot be read: A.v1 GET`))
  }
  const named = entryOf({})
  const inQuery = { ...named, request: { ...named.request, queryString: pairs({ access_token: 'x' }) } }
  assert.equal((await importFile('requests', 'r.har', har(inQuery), '--open')).made[0]?.verification, 'Basic')
})

test('16.9, 16.18 a line of a list that is left out counts for the verification, and headers that are not imported are noted', async () => {
  const lines = [
    `GET ${base}/A.v1/1 absent.json 401`,
    `{ "method": "GET", "url": "${base}/A.v1/2", "file": "r.txt", "headers": { "x-total": "1" }, "delay": 5 }`,
  ]
  const { made, notes } = await importFile('requests', 'r.txt', lines.join('\n'), '--open', '--no-any')
  assert.deepEqual(made, [{ name: 'A', verification: 'Basic', rows: [200] }])
  assert.deepEqual(notes.slice(1, 3), [
    'r.txt:2 leaves out delay',
    'r.txt:2 has headers that are not imported: "x-total"',
  ])
})

test('16.18 one note names all operations that get Basic, and one those with credentials that no verification has', async () => {
  const key = { 'x-api-key': 'x' }
  const entries = ['/A.v1/1', '/B.v1/1', '/C.v1/1', '/D.v1/1'].map((path, at) => {
    return entryOf({ path, ...(at > 1 && { headers: key }) })
  })
  const { notes } = await importFile('requests', 'r.har', har(...entries), '--no-any')
  assert.deepEqual(notes, [
    'operations that nothing declares open get Basic verification (--open imports them with NONE): A.v1 GET, B.v1 GET',
    'operations get Basic verification in place of the header "x-api-key": C.v1 GET, D.v1 GET',
  ])
})

test('16.18 the strictest of the credentials of all calls counts, and calls without are noted', async () => {
  const bearer = { authorization: 'Bearer x' }
  const entries = [
    entryOf({}),
    entryOf({ headers: basic, path: '/A.v1/2' }),
    entryOf({ headers: bearer, path: '/A.v1/3' }),
  ]
  const { made, notes } = await importFile('requests', 'r.har', har(...entries), '--no-any')
  assert.equal(made[0]?.verification, 'OAuth2')
  assert.deepEqual(notes.slice(0, 2), [
    'A.v1 GET is called with Basic and OAuth2: it gets the strictest, OAuth2',
    'log.entries[0] has no credentials: other calls of A.v1 GET show that they are needed',
  ])
})

const openapi = (paths: unknown, more: object = {}) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'HR', version: '1' },
    servers: [{ url: base }],
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        bearer: { type: 'http', scheme: 'bearer' },
        key: { type: 'apiKey', in: 'header', name: 'x-key' },
      },
    },
    ...more,
    paths,
  })
const get = (security?: readonly unknown[]) => ({ get: { security, responses: { 200: { description: 'ok' } } } })

test('16.18 of two paths of one operation the strictest verification counts, whatever their order', async () => {
  const open = ['/HR.v1/open', get([])] as const
  const closed = ['/HR.v1/closed', get([{ basic: [] }])] as const
  for (const paths of [
    [open, closed],
    [closed, open],
  ]) {
    const { made, notes } = await importFile('openapi', 'a.json', openapi(Object.fromEntries(paths)))
    assert.equal(made[0]?.verification, 'Basic')
    assert.deepEqual(notes, ['GET /HR.v1/open declares NONE and gets Basic, the strictest of the paths of HR.v1'])
  }
})

const open = get([])
const closed = get([{ basic: [] }])
const leftOut: readonly (readonly [title: string, paths: object, names?: readonly string[]])[] = [
  ['that matches the same requests', { '/HR.v1/{id}': open, '/HR.v1/{name}': closed }],
  ['of another server', { '/HR.v1/{id}': open, '/HR.v1/{name}': { ...closed, servers: [{ url: `${base}2` }] } }],
  ['at .V1', { '/HR.v1/{id}': open, '/HR.V1/{name}': closed }],
  ['with a query', { '/HR.v1/{id}': open, '/HR.v1/{id}?x=1': closed }],
  [
    'beside a reference',
    { '/HR.v1/x': { $ref: '#/components/pathItems/open', ...closed, post: closed.get } },
    ['HR', 'HR'],
  ],
  ['that a reference leads to', { '/HR.v1/x': { $ref: '#/components/pathItems/closed', ...open } }],
  [
    'of an operation with a reference',
    { '/HR.v1/x': { get: { $ref: '#/components/pathItems/open/get', ...closed.get } } },
  ],
  ['that is no object', { '/HR.v1/x': open, '/HR.v1/y': { get: [] } }],
  ['of the whole path', { '/HR.v1/x': { ...open, security: [{ basic: [] }] } }],
  ['in a parameter', { '/HR.v1/x': { ...open, parameters: [{ in: 'header', name: 'Authorization' }] } }],
  ['of a path that is no object', { '/HR.v1/x': open, '/HR.v1/y': 5 }],
  ['that cannot be found', { '/HR.v1/x': { $ref: '#/nowhere', ...open } }],
]
for (const [title, paths, names = ['HR']] of leftOut)
  test(`16.8, 16.18 in OpenAPI, a declaration ${title} counts`, async () => {
    const components = { securitySchemes: { basic: { type: 'http', scheme: 'basic' } }, pathItems: { open, closed } }
    const { made } = await importFile('openapi', 'a.json', openapi(paths, { components }), '--open')
    assert.deepEqual(
      made.map(({ name, verification }) => `${name} ${verification}`),
      names.map((name) => `${name} Basic`),
    )
  })

test('16.18 a security that is no list of objects is never open, in Swagger 2.0, too', async () => {
  for (const security of [{ basic: [] }, 'basic', ['basic'], [null], [[]], {}, null, false]) {
    const paths = { '/HR.v1/a': { get: { security, responses: { 200: { description: 'ok' } } } } }
    const swagger = { swagger: '2.0', info: { title: 'HR', version: '1' }, basePath: new URL(base).pathname, paths }
    for (const text of [openapi(paths), JSON.stringify(swagger)]) {
      const { made, notes } = await importFile('openapi', 'a.json', text, '--open')
      assert.equal(made[0]?.verification, 'Basic', JSON.stringify(security))
      assert.match(notes.join('\n'), /has a security that is not a list of objects: credentials are needed/)
    }
  }
})

test('16.18 in WADL, a header with the name of a credential and a response 401 mean that credentials are needed', async () => {
  for (const inner of ['<request><param style="header" name="X-Api-Key"/></request>', '<response status="401"/>']) {
    const resource = `<resource path="/HR.v1/a"><method name="GET">${inner}</method></resource>`
    const text = `<application><resources base="${base}">${resource}</resources></application>`
    assert.equal((await importFile('wadl', 'a.wadl', text, '--open')).made[0]?.verification, 'Basic')
  }
})

test('16.8 notes say which schemes are no longer checked, and which are no longer taken', async () => {
  for (const [security, verification, wanted] of [
    [[{ basic: [], key: [] }], 'Basic', 'checks Basic only, and not "key", which the document requires besides'],
    [
      [{ basic: [], key: [] }, { bearer: [] }],
      'OAuth2',
      'takes OAuth2 only: the document also takes "basic", "key" instead',
    ],
    [[{ bearer: [] }, { basic: [] }], 'Basic', 'takes Basic only: the document also takes "bearer" instead'],
  ] as const) {
    const { made, notes } = await importFile('openapi', 'a.json', openapi({ '/HR.v1/a': get(security) }))
    assert.deepEqual([made[0]?.verification, notes], [verification, [`GET /HR.v1/a ${wanted}`]])
  }
})

const declarations: readonly (readonly [
  title: string,
  security: readonly unknown[] | undefined,
  plain: string,
  open: string,
])[] = [
  ['nothing is not open', undefined, 'Basic', 'NONE'],
  ['security: [] is open', [], 'NONE', 'NONE'],
  ['an optional scheme is open', [{}, { basic: [] }], 'NONE', 'NONE'],
  ['a scheme that the gateway does not have is not open', [{ key: [] }], 'Basic', 'Basic'],
  ['two schemes together are the stricter', [{ basic: [], bearer: [] }], 'OAuth2', 'OAuth2'],
  ['two schemes of which one suffices are the weaker', [{ bearer: [] }, { basic: [] }], 'Basic', 'Basic'],
]
for (const [title, security, plain, open] of declarations) {
  test(`16.18 in OpenAPI, ${title}`, async () => {
    const text = openapi({ '/HR.v1/a': get(security) })
    const { made, notes } = await importFile('openapi', 'a.json', text)
    assert.equal(made[0]?.verification, plain)
    const isClosed =
      /operations that nothing declares open get Basic verification \(--open \S+ them with NONE\): HR\.v1 GET$/m
    assert.equal(isClosed.test(notes.join('\n')), plain !== open)
    assert.equal((await importFile('openapi', 'a.json', text, '--open')).made[0]?.verification, open)
  })
}

test('16.18 what --open imports without credentials is named in the summary', async () => {
  const cwd = makeProject({ 'r.har': har(entryOf({})) })
  const { stdout } = await ig(['import', 'requests', 'r.har', '--open', '--dry-run'], { cwd })
  assert.match(stdout, /\nA_GET\.v1 +NONE \(by --open\) /)
})

const choices: readonly (readonly [title: string, entries: readonly Entry[], status: number, note?: RegExp])[] = [
  ['a success counts before a later 404', [{}, { status: 404 }], 200],
  ['a later 404 counts before an earlier 409', [{ status: 409 }, { status: 404 }], 404],
  ['a 404 counts before a later 503', [{ status: 404 }, { status: 503 }], 404],
  ['a 429 is left out', [{ status: 429 }, {}], 200, /log\.entries\[0\] is left out: 429 is a passing state/],
  [
    'a 503 stays where nothing else came, with a note',
    [{ status: 503 }],
    503,
    /log\.entries\[0\] answers \S+\/A\.v1\/1 with 503, a passing state: nothing else was recorded for it/,
  ],
]
for (const [title, entries, status, wanted] of choices) {
  test(`16.17 of the answers to one request ${title}`, async () => {
    const { made, notes } = await importFile('requests', 'r.har', har(...entries.map(entryOf)), '--no-any')
    assert.deepEqual(made[0]?.rows, [status])
    if (wanted) assert.match(notes.join('\n'), wanted)
  })
}

test('16.6, 16.9 entries without a URL, bodies of an impossible length and unusable content types are noted with their place', async () => {
  const entries = [
    null,
    5,
    {},
    { ...entryOf({}), request: { method: 'GET', url: 'https://other.example/' } },
    entryOf({ text: 'abcde', encoding: 'base64', path: '/A.v1/2' }),
    entryOf({ text: 'YWI=\n', encoding: 'base64', path: '/A.v1/3' }),
    entryOf({ text: 'YWI', encoding: 'base64', path: '/A.v1/4' }),
    entryOf({ text: 'YWI==', encoding: 'base64', path: '/A.v1/5' }),
    entryOf({ answer: { 'content-type': 'no type' }, path: '/A.v1/6', headers: basic }),
    { ...entryOf({}), request: { method: 'GET', url: '' } },
    { ...entryOf({ path: '/A.v1/7' }), response: { status: 200, content: [] } },
  ]
  const { made, notes } = await importFile('requests', 'r.har', har(...entries), '--no-any')
  assert.equal(made[0]?.rows.length, 4)
  assert.deepEqual(notes.slice(0, 9), [
    'log.entries[0] is left out: request.method is missing',
    'log.entries[1] is left out: request.method is missing',
    'log.entries[2] is left out: request.method is missing',
    'log.entries[4] is left out: its response body is not in its stated encoding, "base64"',
    'log.entries[7] is left out: its response body is not in its stated encoding, "base64"',
    'log.entries[8] has an unusable content type, "no type": it gets application/octet-stream',
    'log.entries[9] is left out: request.url is not a URL with a path: https://host/path',
    'log.entries[10] has no response body: its answer is empty',
    'r.har has 1 other entry, which is left out: no RESTListeningConnector in the URL',
  ])
})

test('16.8, 16.20 what should be an object and is none becomes no operation, with a note', async () => {
  const good = get([{ basic: [] }])
  const broken = await importFile(
    'openapi',
    'o.json',
    openapi({ '/HR.v1/x': { ...good, put: null, patch: 5, post: [] } }),
  )
  assert.deepEqual(
    broken.made.map(({ name }) => name),
    ['HR'],
  )
  assert.deepEqual(broken.notes, [
    'POST /HR.v1/x is left out: it is no object',
    'PUT /HR.v1/x is left out: it is no object',
    'PATCH /HR.v1/x is left out: it is no object',
  ])
  const swagger = {
    swagger: '2.0',
    info: { title: 'HR', version: '1' },
    host: 'hr.example',
    basePath: new URL(base).pathname,
    securityDefinitions: { basic: { type: 'basic' } },
    paths: { '/HR.v1/x': { ...good, put: 5, patch: null, trace: {} }, '/HR.v1/y': { ...get([]), put: get([]).get } },
  }
  const converted = await importFile('openapi', 's.json', JSON.stringify(swagger), '--open')
  assert.deepEqual(
    converted.made.map(({ name, verification }) => `${name} ${verification}`),
    ['HR Basic', 'HR Basic'], // also of the PUT at the other path
  )
  assert.deepEqual(
    converted.notes.filter((one) => /leaves out|left out/.test(one)),
    [
      '/HR.v1/x leaves out trace',
      'PUT /HR.v1/x is left out: it is no object',
      'PATCH /HR.v1/x is left out: it is no object',
    ],
  )
  const paths = { '/HR.v1/x': { ...get(), security: [{ basic: [] }] }, '/HR.v1/y': 5 }
  const ofPath = await importFile('openapi', 's.json', JSON.stringify({ ...swagger, paths }), '--open')
  assert.equal(ofPath.made[0]?.verification, 'Basic')
  assert.equal(ofPath.notes[0], '/HR.v1/y must have an object here')
  const info = { name: 'N', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' }
  const item = [{ raw: 5 }, 5, null, {}, `${base}/A.v1/1`].map((url, at) => ({
    name: `r${at}`,
    request: { url, auth: { type: 'basic' } },
    response: [{ code: 200, body: 'x', header: [{ key: 'Content-Type', value: '/' }] }],
  }))
  const collection = await importFile('postman', 'p.json', JSON.stringify({ info, item }), '--no-any')
  assert.deepEqual(
    collection.made.map(({ name }) => name),
    ['A'],
  )
  assert.deepEqual(collection.notes.slice(0, 5), [
    ...[0, 1, 2, 3].map((at) => `r${at}/0 is left out: its URL is neither a text nor an object with one`),
    'r4/0 has an unusable content type, "/": it gets text/plain',
  ])
})

test('16.9 one bad item spoils nothing: it is left out with its place and its reason', async () => {
  const bad = [
    { request: { url: `${base}/A.v1/9` }, response: { status: 200 } },
    entryOf({ path: '/No-version', text: 'x' }),
    entryOf({ text: '###', encoding: 'base64', path: '/A.v1/8' }),
    entryOf({ text: 'x', encoding: 'br', path: '/A.v1/7' }),
    { request: { method: 'GET', url: `${base}/A.v1/%ff`, headers: [] }, response: { status: 200 } },
    null,
  ]
  const { code, made, notes } = await importFile(
    'requests',
    'r.har',
    har(...bad, entryOf({ headers: basic })),
    '--no-any',
  )
  assert.deepEqual([code, made], [0, [{ name: 'A', verification: 'Basic', rows: [200] }]])
  assert.deepEqual(notes.slice(0, 5), [
    'log.entries[0] is left out: request.method is missing',
    'log.entries[1] is left out: request.url has no <node>/<operation>.v<number> after RESTListeningConnector',
    'log.entries[2] is left out: its response body is not in its stated encoding, "base64"',
    'log.entries[3] is left out: its response body is not in its stated encoding, "br"',
    'log.entries[4] is left out: request.url is malformed: It has invalid percent-encoding or invalid UTF-8.',
  ])
})

test('16.9 a query without a name is no template, and spoils no other request', async () => {
  const entries = [entryOf({ headers: basic }), entryOf({ headers: basic, path: '/B.v1/x?=1' })]
  const { code, made, notes } = await importFile('requests', 'r.har', har(...entries), '--no-any')
  assert.deepEqual([code, made[0]], [0, { name: 'A', verification: 'Basic', rows: [200] }])
  assert.match(notes.join('\n'), /log\.entries\[1\] is left out: no inferred template matches \S+\/B\.v1\/x\?=1/)
})

test('16.9 --strict turns notes into errors, and then nothing is written', async () => {
  const text = har(entryOf({ headers: basic }), entryOf({ method: 'PURGE' }))
  const plain = await importFile('requests', 'r.har', text, '--no-any')
  assert.deepEqual([plain.code, plain.made.length, plain.notes.length], [0, 1, 1])
  const strict = await importFile('requests', 'r.har', text, '--no-any', '--strict')
  assert.deepEqual([strict.code, strict.made, strict.problems], [1, [], plain.notes])
})

test('16.14 rows of no REST operation and unknown columns are left out with a note', async () => {
  const cwd = makeProject({
    'defs/PSOPERATION.csv':
      'IB_OPERATIONNAME,VERSION,IB_SERVICENAME,IB_REST_SERVICE,DESCRLONG\nDEPT_GET,12,DEPT_SVC,Y,\nDEPT_SYNC,1,DEPT_SYNC,N,\nSHORT\n',
    'defs/PSOPRVERDFN.csv':
      'IB_OPERATIONNAME,VERSIONNAME,ACTIVE_FLAG\nDEPT_GET,v1,A\nDEPT_GET,v1,A\nDEPT_SYNC,VERSION_1,A\n',
  })
  const run = (...args: readonly string[]) =>
    ig(['import', 'definitions', 'defs', '--upstream', 'https://hr.example', '--json', ...args], { cwd })
  const strict = JSON.parse((await run('--strict')).stdout)
  const { folder, operations, notices } = JSON.parse((await run()).stdout)
  assert.deepEqual([folder, operations.length], ['defs-gateway', 1])
  assert.deepEqual(notices.map(note), [
    'PSOPERATION.csv has columns that are not read: VERSION, DESCRLONG',
    'PSOPERATION.csv, line 4 is left out: it has 1 cells, and the header 5',
    'PSOPRVERDFN.csv, line 3 is left out: it repeats "v1" of "DEPT_GET"',
    'PSOPERATION.csv, line 3 is left out: "DEPT_SYNC" is not a REST operation',
  ])
  assert.deepEqual([strict.folder, strict.problems], [null, notices])
})

test('16.14 the external alias of an active routing is the alias of its operation; what cannot be one is noted', async () => {
  const cwd = makeProject({
    'defs/PSOPERATION.csv':
      'IB_OPERATIONNAME,IB_SERVICENAME,IB_REST_SERVICE\nDEPT_GET,S,1\nDEPT_POST,S,1\nJOB_GET,S,1\nPAY_GET,S,1\nSOAP,S,0\n',
    'defs/PSOPRVERDFN.csv':
      'IB_OPERATIONNAME,VERSIONNAME\nDEPT_GET,v1\nDEPT_POST,v1\nJOB_GET,v1\nPAY_GET,v1\nSOAP,VERSION_1\n',
    'defs/PSIBRTNGDEFN.csv':
      'ROUTINGDEFNNAME,EFFDT,EFF_STATUS,IB_OPERATIONNAME\nR1,x,A,DEPT_GET\nR2,x,A,DEPT_POST\nR3,x,I,JOB_GET\nR4,x,A,JOB_GET\nR5,x,A,PAY_GET\nR6,x,A,SOAP\nR7,x,A,NOPE_GET\n',
    'defs/PSIBRTNGSUBDEFN.csv':
      'ROUTINGDEFNNAME,ALIASNAME\nR1,Departments_GET.v1\nR1,DEPT_GET.v1\nR2,Departments_POST.v1\nR2,Units.v1\nR3,Old.v1\nR4,JOB_GET.v1\nR4,PAY.v1\nR5,<b>.v1\nR6,SOAP.VERSION_1\nR9,Pay.v1\n',
  })
  const args = ['import', 'definitions', 'defs', '--upstream', 'https://hr.example', '--into', 'made', '--json']
  const { notices } = JSON.parse((await ig(args, { cwd })).stdout)
  const { operations } = (await openProject(join(cwd, 'made'))).configuration
  const segments = operations.map(({ name, alias = name, method }) => `${alias} ${method}`)
  assert.deepEqual(segments, ['Departments GET', 'Departments POST', 'JOB GET', 'PAY GET'])
  assert.deepEqual(notices.map(note), [
    'PSOPERATION.csv, line 6 is left out: "SOAP" is not a REST operation',
    'PSIBRTNGDEFN.csv has columns that are not read: EFFDT',
    'PSIBRTNGSUBDEFN.csv, line 5 is left out: "Units" of DEPT: DEPT has the alias Departments, and can have one',
    'PSIBRTNGSUBDEFN.csv, line 8 is left out: "PAY" of JOB: PAY is called so',
    'PSIBRTNGSUBDEFN.csv, line 9 is left out: "<b>" of PAY: it is no alias',
    'DEPT is called Departments: its routings have its own name, too, which is no longer served',
    'PSIBRTNGDEFN.csv has routings of operations that PSOPERATION.csv does not have, which are left out: "NOPE_GET"',
    'PSIBRTNGDEFN.csv has routings that are not active, which are left out: "R3"',
    'PSIBRTNGSUBDEFN.csv has aliases of routings that PSIBRTNGDEFN.csv does not have, which are left out: "R9"',
  ])
  const { stdout } = await ig(['import', 'definitions', 'defs', '--upstream', 'https://hr.example', '--dry-run'], {
    cwd,
  })
  assert.match(stdout, /^DEPT_GET\.v1 +\/Departments\.v1 +S/m)
})

test('16.9 a file that is compressed, binary, in UTF-16 or nested without end is refused, and says so', async () => {
  const deep = `{"log":{"entries":[${'['.repeat(100_000)}`
  for (const [content, message] of [
    [gzipSync(har(entryOf({}))), /^ig: r\.har is compressed \(gzip\)\. Decompress it first\./],
    [Buffer.from([1, 0, 2]), /^ig: r\.har is binary, not text\./],
    [Buffer.from(`\ufeff${har(entryOf({}))}`, 'utf16le'), /^ig: r\.har is in UTF-16\. Save it as UTF-8\./],
    [deep, /r\.har is not a HAR: it is nested more than 500 deep/],
  ] as const) {
    const cwd = makeProject({})
    writeFileSync(join(cwd, 'r.har'), content)
    const { code, stderr } = await ig(['import', 'requests', 'r.har', '--into', 'made'], { cwd })
    assert.equal(code, 1)
    assert.match(stderr, message)
    assert.ok(!existsSync(join(cwd, 'made')))
  }
})

test('16.9 notes of one kind are shown once with their number, so that frequent ones hide no rare one', async () => {
  const many = Array.from({ length: 1000 }, (_, at) => entryOf({ path: `/A.v1/${at}/%ff` }))
  const odd = [entryOf({ method: 'PURGE' }), entryOf({ status: 304 }), entryOf({ text: '#', encoding: 'base64' })]
  const text = har(...many, ...odd, entryOf({ headers: basic }))
  const cwd = makeProject({ 'r.har': text })
  const { stdout } = await ig(['import', 'requests', 'r.har', '--dry-run', '--no-any'], { cwd })
  assert.deepEqual(stdout.split('\nNote:\n')[1]?.split('\n').slice(0, 5), [
    '  log.entries[0] is left out: request.url is malformed: It has invalid percent-encoding or invalid UTF-8. (and 999 more like it; --json has all)',
    '  log.entries[1000] is left out: "PURGE" is not a method of an operation',
    '  log.entries[1001] is left out: 304 has no body: record with the browser cache disabled',
    '  log.entries[1002] is left out: its response body is not in its stated encoding, "base64"',
    '',
  ])
  assert.equal((await importFile('requests', 'r.har', text, '--no-any')).notes.length, 1003)
})

test('16.10 a second gateway path is not served, and a note says so', async () => {
  const urls = ['/SSCDEV/PSIGW', '/SSCDEV/PSIGW', '/OTHER'].map(
    (path, at) => `${path}/RESTListeningConnector/PSFT_HR/A.v1/${at}`,
  )
  const entries = urls.map((url) => {
    const { request, response } = entryOf({ headers: basic })
    return { request: { ...request, url: `https://h${url}` }, response }
  })
  const log = urls.map((url) => `10.0.0.1 - KIM [28/Nov/2026:08:00:00 +0000] "GET ${url} HTTP/1.1" 200 5`).join('\n')
  const described = { ...get([{ basic: [] }]), servers: [{ url: 'https://h/OTHER/RESTListeningConnector/PSFT_HR' }] }
  const document = openapi(
    { '/A.v1/x': described, '/B.v1/x': get([{ basic: [] }]) },
    { servers: [{ url: 'https://h/SSCDEV/PSIGW/RESTListeningConnector/PSFT_HR' }] },
  )
  const frequent = 'the gateway path is SSCDEV/PSIGW, also for the URLs below "OTHER": a gateway has one'
  const first = 'the gateway path is OTHER, also for the URLs below "SSCDEV/PSIGW": a gateway has one'
  for (const [kind, file, text, ...args] of [
    ['requests', 'r.har', har(...entries), '--no-any'],
    ['access-log', 'access.log', log, '--upstream', 'https://h'],
    ['openapi', 'a.json', document],
  ] as const) {
    const { notes } = await importFile(kind, file, text, ...args)
    assert.ok(notes.includes(kind === 'openapi' ? first : frequent), `${kind}: ${notes.join('\n')}`)
  }
})

test('16.9, 16.14 definitions that are compressed, binary or not in UTF-8, and a file in place of the folder, are refused', async () => {
  const operations = 'IB_OPERATIONNAME,IB_SERVICENAME\nDEPT_GET,S\n'
  for (const [content, message] of [
    [gzipSync(operations), 'PSOPERATION.csv is compressed (gzip). Decompress it first.'],
    [Buffer.from('PK\u0003\u0004'), 'PSOPERATION.csv is compressed (zip). Decompress it first.'],
    [Buffer.from(operations, 'utf16le'), 'PSOPERATION.csv is binary, not text.'],
    [Buffer.from('IB_OPERATIONNAME,\xfc', 'latin1'), 'PSOPERATION.csv is not UTF-8. Save it as UTF-8.'],
  ] as const) {
    const cwd = makeProject({ 'defs/x': '' })
    writeFileSync(join(cwd, 'defs/PSOPERATION.csv'), content)
    const args = ['import', 'definitions', 'defs', '--upstream', 'https://h', '--json']
    const { folder, problems } = JSON.parse((await ig(args, { cwd })).stdout)
    assert.deepEqual([folder, problems.map(note)], [null, [` defs/${message}`]])
  }
  const cwd = makeProject({ 'defs.zip': 'PK' })
  const { stderr } = await ig(['import', 'definitions', 'defs.zip', '--upstream', 'https://h'], { cwd })
  assert.match(stderr, /defs\.zip is no folder\. Name the one that has the CSV files\./)
})

test('16.9 a file of more than 100 MiB that is no HAR and no log is refused, and says what to do', async () => {
  const cwd = makeProject({ 'c.json': '{"info":{}}' })
  truncateSync(join(cwd, 'c.json'), 101 * 1024 * 1024)
  writeFileSync(join(cwd, 'c.json'), ' '.repeat(10_000), { flag: 'r+' })
  for (const [kind, message] of [
    ['postman', 'c.json is larger than 100 MiB. Export its folders one by one.'],
    ['openapi', 'c.json is larger than 100 MiB. Split it.'],
  ] as const)
    assert.match((await ig(['import', kind, 'c.json'], { cwd })).stderr, new RegExp(message))
})

test('16.9 a note is shown with its message, however long its place is', async () => {
  const cwd = makeProject({})
  const deep = (depth: number): object => ({
    name: 'folder',
    item: depth === 0 ? [{ name: 'x', request: { method: 'LINK', url: base } }] : [deep(depth - 1)],
  })
  const info = { name: 'N', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' }
  const good = { name: 'good', request: { url: `${base}/A.v1/1` } }
  writeFileSync(join(cwd, 'c.json'), JSON.stringify({ info, item: [deep(1000), good] }))
  const { stdout } = await ig(['import', 'postman', 'c.json', '--dry-run', '--no-any'], { cwd })
  assert.match(stdout, /\n {2}(?:folder\/)+fo… \(\d+ more\) is left out: "LINK" is not a method of an operation\n/)
})

const hostile = '<b>../../x\\y\u001b[2J\u0007\u009b31m\u202e'
const combined = (user: string, path: string, agent: string) =>
  `10.0.0.1 - ${user} [28/Nov/2026:08:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "${agent}"`
const wire = base.replace('https://hr.example.com', '')
const sources: readonly (readonly [kind: string, file: string, text: string, ...args: readonly string[]])[] = [
  [
    'requests',
    'r.har',
    har(
      entryOf({ answer: { [hostile]: hostile } }),
      entryOf({ path: `/A.v1/${encodeURIComponent(hostile)}` }),
      entryOf({ path: `/${hostile}.v1/1` }),
      entryOf({ path: `/${encodeURIComponent(hostile)}.v1/1` }),
      entryOf({ method: hostile }),
      entryOf({ encoding: hostile }),
    ),
    '--no-any',
  ],
  [
    'postman',
    'c.json',
    JSON.stringify({
      info: { name: hostile, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
      item: [
        { name: hostile, item: [{ name: hostile, request: { url: `${base}/A.v1/1`, auth: { type: hostile } } }] },
        { name: hostile, request: { method: hostile, url: `${base}/A.v1/1` } },
        { name: hostile, request: { url: `${base}/B.v1/{{${hostile}}}` }, response: [{ name: hostile, code: 200 }] },
        { name: hostile, request: { url: `${base}/C.v1/1` }, response: [{ code: 200, header: [{ key: hostile }] }] },
      ],
    }),
    '--no-any',
  ],
  [
    'access-log',
    'access.log',
    [
      combined(hostile, `${wire}/A.v1/1`, hostile),
      combined('KIM', `${wire}/${encodeURIComponent(hostile)}.v1/1`, hostile),
      combined('KIM', `${wire}/${hostile}.v1/1`, hostile),
      combined('KIM', `/${hostile}`, hostile),
    ].join('\n'),
    '--upstream',
    'https://hr.example.com',
  ],
]
for (const [kind, file, text, ...args] of sources)
  test(`16.9 names with markup, controls and separators reach no terminal and no path: ${kind}`, async () => {
    const cwd = makeProject({ [file]: text })
    const before = readdirSync(cwd)
    const shown: string[] = []
    for (const more of [['--dry-run'], ['--into', 'made'], ['--into', 'made', '--force', '--json'], ['--strict']]) {
      const { stdout, stderr } = await ig(['import', kind, file, ...args, ...more], { cwd })
      shown.push(stdout, stderr)
    }
    assert.ok(existsSync(join(cwd, 'made')))
    const written = readdirSync(join(cwd, 'made'), { recursive: true, encoding: 'utf8' })
    const texts = written.filter((path) => !path.startsWith('fixtures')).filter((path) => /\.\w+$/.test(path))
    shown.push(...texts.map((path) => readFileSync(join(cwd, 'made', path), 'utf8')))
    for (const text of shown) assert.doesNotMatch(text, /[^\P{Cc}\n]|\p{Cf}/u)
    for (const path of written) assert.match(path, /^[\w./-]+$/)
    assert.deepEqual(readdirSync(cwd).sort(), [...before, 'made'].sort())
  })
