/** `ig import postman` (specification 16.20). */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'
import { openProject } from '../../src/project/open-project.ts'
import { ig, makeProject } from '../support/cli.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const base = 'https://hr.example.org/PSIGW/RESTListeningConnector/PSFT_HR'
const file = 'hr.postman_collection.json'

interface Saved {
  readonly code?: number
  readonly body?: string
  readonly header?: readonly object[]
  readonly originalRequest?: object
}

const item = (name: string, request: object, ...response: readonly Saved[]) => ({
  name,
  request: { method: 'GET', ...request },
  response: response.map((one, at) => ({ name: `r${at}`, code: 200, body: '', header: [], ...one })),
})
const collection = (items: readonly unknown[], more: object = {}) =>
  JSON.stringify({
    info: { name: 'HR services', schema },
    variable: [{ key: 'base', value: base }],
    ...more,
    item: items,
  })

async function importCollection(text: string, ...args: readonly string[]) {
  const cwd = makeProject({ [file]: text })
  const { code, stdout } = await ig(['import', 'postman', file, '--into', 'made', '--no-any', '--json', ...args], {
    cwd,
  })
  const { notices, problems } = JSON.parse(stdout)
  const texts = (list: readonly { path: string; message: string }[]) => list.map((one) => `${one.path} ${one.message}`)
  const folder = join(cwd, 'made')
  return { code, folder, notes: texts(notices), problems: texts(problems), isWritten: existsSync(folder) }
}

const json = [{ key: 'Content-Type', value: 'application/json' }]
const basic = {
  type: 'basic',
  basic: [
    { key: 'username', value: '{{user}}' },
    { key: 'password', value: 's3cr3t' },
  ],
}

test('16.20 folders, variables, inherited authorization and saved responses become operations that answer', async () => {
  const folder = {
    name: 'Departments',
    variable: [{ key: 'service', value: 'DEPT.v1' }],
    event: [{ listen: 'test', script: { exec: ['throw new Error("never run")'] } }],
    item: [
      item(
        'one',
        {
          url: {
            raw: '{{base}}/{{service}}/:dept?asOf=2026-11-01',
            variable: [{ key: 'dept', value: 'D100' }],
            query: [{ key: 'asOf', value: '2026-11-01' }],
          },
        },
        {
          body: '{"dept":"D100"}',
          header: json,
          originalRequest: { method: 'GET', url: { raw: '{{base}}/{{service}}/D100?asOf=2026-11-01' } },
        },
        {
          code: 404,
          body: 'none',
          originalRequest: { method: 'GET', url: `{{base}}/{{service}}/D900?asOf=2026-11-01` },
        },
      ),
      item(
        'new',
        { method: 'POST', url: '{{base}}/{{service}}/', body: { mode: 'raw', raw: '{"dept":"D300"}' } },
        { code: 201, body: '{"dept":"D300"}' },
      ),
    ],
  }
  const open = item(
    'names',
    { url: { host: ['{{base}}'], path: ['NAMES.v2', ''] }, auth: { type: 'noauth' } },
    { body: '<names/>' },
  )
  const made = await importCollection(collection([folder, open], { auth: basic }))
  assert.deepEqual(made.notes, [
    'Departments/one/r1 states no content type: it gets text/plain',
    'Departments/new/r0 states no content type: it gets application/json',
    'names/r0 states no content type: it gets text/xml',
    `${file} has scripts in one place, which are not run`,
  ])
  const { configuration } = await openProject(made.folder)
  assert.deepEqual(
    configuration.operations.map(
      ({ service, name, method, version, verification }) => `${service} ${name}_${method}.${version} ${verification}`,
    ),
    ['HR_SERVICES DEPT_GET.v1 Basic', 'HR_SERVICES DEPT_POST.v1 Basic', 'HR_SERVICES NAMES_GET.v2 NONE'],
  )
  assert.ok(!readFileSync(join(made.folder, 'gateway.config.ts'), 'utf8').includes('s3cr3t'))
  await using gateway = await openTestGateway({ project: made.folder })
  const answers = []
  for (const [line, as] of [
    ['GET DEPT.v1/D100?asOf=2026-11-01', 'DEMO'],
    ['GET DEPT.v1/D900?asOf=2026-11-01', 'DEMO'],
    ['POST DEPT.v1', 'DEMO'],
    ['GET NAMES.v2', undefined],
  ] as const) {
    const { status, text } = await gateway.call(line, as ? { as } : {})
    answers.push([status, text])
  }
  assert.deepEqual(answers, [
    [200, '{"dept":"D100"}'],
    [404, 'none'],
    [201, '{"dept":"D300"}'],
    [200, '<names/>'],
  ])
})

test('16.20 what has no value, no response or another authorization is imported with a note', async () => {
  const made = await importCollection(
    collection([
      item('a', { url: '{{host}}/PSIGW/RESTListeningConnector/PSFT_HR/A.v1/:id/{{part}}', auth: { type: 'hawk' } }),
      item(
        'b',
        { url: `${base}/B.v1`, auth: { type: 'apikey', apikey: [{ key: 'key', value: 'PS_TOKEN' }] } },
        { body: 'x', header: json },
      ),
    ]),
  )
  assert.deepEqual(made.notes, [
    'a has variables without a value, each recorded as 000: "{{host}}", "{{part}}", ":id"',
    'a has no saved response: it is answered 200 with an empty body',
    'operations get Basic verification in place of the authorization "hawk": A.v1 GET',
  ])
  const { operations } = (await openProject(made.folder)).configuration
  assert.deepEqual(
    operations.map(({ verification }) => verification),
    ['Basic', 'Token'],
  )
})

test('16.18, 16.20 noauth is open only without credentials in the request, in its saved responses, and without a script', async () => {
  const url = `${base}/A.v1`
  const header = (key: string, value: string) => ({ header: [{ key, value }] })
  const script = { event: [{ listen: 'prerequest', script: { exec: ['pm.request.headers.add(x)'] } }] }
  for (const [verification, request, saved, more] of [
    ['NONE', {}, {}, {}],
    ['Basic', header('Authorization', '{{authHeader}}'), {}, {}],
    ['Basic', header('Authorization', 'Digest x'), {}, {}],
    ['Basic', header('X-Api-Key', 'x'), {}, {}],
    ['Basic', { header: 'X-Api-Key: x' }, {}, {}],
    ['Token', header('Cookie', 'PS_TOKEN=x'), {}, {}],
    ['OAuth2', {}, { originalRequest: header('Authorization', 'Bearer x') }, {}],
    ['Basic', {}, { code: 401 }, {}],
    ['Basic', {}, {}, script],
    ['Basic', {}, {}, { event: { listen: 'prerequest' } }],
    ['Basic', { certificate: { name: 'x' } }, {}, {}],
    ['Basic', { header: { Authorization: 'x' } }, {}, {}],
    ['Basic', header('{{name}}', 'x'), {}, {}],
  ] as const) {
    const made = await importCollection(
      collection([item('a', { url, ...request }, saved)], { ...more, auth: { type: 'noauth' } }),
    )
    const { operations } = (await openProject(made.folder)).configuration
    assert.equal(operations[0]?.verification, verification, JSON.stringify([request, saved, more]))
    const isNoted = made.notes.some((one) => one.startsWith('operations '))
    assert.equal(isNoted, verification === 'Basic')
  }
})

test('16.20 an item that cannot be used is left out, and the others are imported', async () => {
  const circle = [
    { key: 'x', value: '{{y}}' },
    { key: 'y', value: '{{x}}{{x}}' },
    { key: 'base', value: base },
  ]
  const made = await importCollection(
    collection(
      [
        null,
        item('method', { method: 'LINK', url: `${base}/A.v1` }),
        item('circle', { url: '{{x}}/A.v1' }),
        item('url', { url: `${base}/NOTHING` }),
        item('status', { url: `${base}/A.v1` }, { code: 304 }),
        item('empty', { url: '' }, {}),
        item('saved', { url: 5 }, { originalRequest: { url: `${base}/A.v1/2` }, body: '2', header: json }),
        item(
          '\u001b[31m<b>../name',
          { url: `${base}/A.v1`, header: [{ key: 'Authorization', value: 'Bearer s3cr3t' }] },
          { body: '1', header: json },
        ),
      ],
      { variable: circle },
    ),
  )
  assert.deepEqual(
    [made.code, made.isWritten, made.notes],
    [
      0,
      true,
      [
        '0 is left out: it has no URL',
        'method is left out: "LINK" is not a method of an operation',
        'circle is left out: its variables contain each other, or too much',
        'url is left out: its URL has no <node>/<operation>.v<number> after RESTListeningConnector',
        'status/r0 is left out: 304 is not a final status with a body',
        'empty/r0 is left out: its URL is not a URL with a path: https://host/path',
        'saved/r0 has no credentials: other calls of A.v1 GET show that they are needed',
      ],
    ],
  )
  const { operations } = (await openProject(made.folder)).configuration
  assert.deepEqual(
    operations.map(({ verification }) => verification),
    ['OAuth2'],
  )
})

test('16.9, 16.20 each member of a collection that is not read, or no list, is in a note with its place', async () => {
  const request = { url: `${base}/A.v1/1`, proxy: {}, certificate: {}, header: {}, auth: { type: 'basic' } }
  const saved = { body: 'x', header: [...json, { key: 'x-total', value: '1' }], timings: {} } as Saved
  const made = await importCollection(
    collection(
      [
        { name: 'f', item: 5, disabled: true },
        { ...item('a', request, saved), _own: 1 },
      ],
      { version: 2 },
    ),
  )
  assert.deepEqual(made.notes, [
    `${file} leaves out version`,
    'f leaves out disabled',
    'f leaves out item, which is no list',
    'a leaves out proxy',
    'a leaves out certificate',
    'a/r0 leaves out timings',
    'a/r0 has header that cannot be read: no list of names and values',
    'a/r0 has headers that are not imported: "x-total"',
    'operations get Basic verification in place of a client certificate, header that cannot be read: A.v1 GET',
  ])
})

test('16.20 variables that contain much or each other cost little, and spoil no other request', async () => {
  const count = 2000
  const ring = Array.from({ length: count }, (_, at) => ({ key: `v${at}`, value: `{{v${(at + 1) % count}}}` }))
  const growing = [
    { key: 'many', value: '{{long}}'.repeat(1000) },
    { key: 'long', value: 'x'.repeat(16_000) },
  ]
  const items = Array.from({ length: count }, (_, at) =>
    item(`${at}`, { url: `${base}/A.v1/{{${at % 2 ? 'many' : 'v0'}}}` }),
  )
  const good = item('good', { url: `${base}/A.v1/1` }, { body: '1', header: json })
  const made = await importCollection(collection([...items, good], { variable: [...ring, ...growing] }))
  assert.equal(made.notes.filter((note) => /^\d+ is left out: its variables contain/.test(note)).length, count)
  assert.equal(made.isWritten, true)
})

test('16.20 another version of Postman, and another kind of file, are refused with what to do', async () => {
  const old = JSON.stringify({ id: 'x', info: { _postman_id: 'x', schema: schema.replace('2.1', '2.0') }, item: [] })
  assert.match((await importCollection(old)).problems[0] ?? '', /is not of version 2\.1: export it as Collection v2\.1/)
  assert.match((await importCollection('{}')).problems[0] ?? '', /is not a Postman collection/)
  assert.match((await importCollection('<a/>')).problems[0] ?? '', /is not JSON/)
  const cwd = makeProject({ [file]: collection([]) })
  for (const kind of ['requests', 'openapi'])
    assert.match((await ig(['import', kind, file], { cwd })).stderr, /Postman collection: use ig import postman/)
})
