/** `ig operator import` and `export`, on a store of its own (specification 37). */
import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { openStore } from '../../src/store/open-store.ts'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig } from '../support/cli.ts'
import { findDatabase } from '../support/databases.ts'

const project = copyReference()
const file = (name: string, text: string) => {
  const path = `${project}/${name}`
  writeFileSync(path, text)
  return path
}
const operator = (...args: readonly string[]) => ig(['operator', ...args, '--project', project])
const list = async () => JSON.parse((await operator('list', '--json')).stdout).items
const hash = `$argon2id$v=19$m=19456,t=2,p=1$${'a'.repeat(22)}$${'b'.repeat(43)}`

const csv = `\ufeffid,description,isLocked,emails,permissionLists,passwordArgon2id\r
KIM,"Night ""shift"",\r\ntwo lines",false,kim@example.com home:Kim@example.org,PUBLIC,"${hash}"\r
"=LEE","'=1+1",true,,,\r\n`

test('37.1, 37.2 a CSV file is imported as a whole; --dry-run stores nothing', async () => {
  const path = file('operators.csv', csv)
  const lines = '+ KIM: +PUBLIC\n+ =LEE\n2 added, 0 changed, 0 unchanged.'
  assert.deepEqual(await operator('import', path, '--dry-run'), {
    code: 0,
    stdout: `${lines} Nothing was imported (--dry-run).\n`,
    stderr: '',
  })
  assert.deepEqual(await list(), [])
  assert.equal((await operator('import', path)).stdout, `${lines} All are stored.\n`)
  assert.deepEqual(
    (await list()).map(
      ({ id, description, isLocked, hasPassword, emails, permissionLists }: Record<string, unknown>) => ({
        id,
        description,
        isLocked,
        hasPassword,
        emails,
        permissionLists,
      }),
    ),
    [
      { id: '=LEE', description: '=1+1', isLocked: true, hasPassword: false, emails: [], permissionLists: [] },
      {
        id: 'KIM',
        description: 'Night "shift",\r\ntwo lines',
        isLocked: false,
        hasPassword: true,
        emails: [
          { type: 'business', address: 'kim@example.com', isPrimary: true },
          { type: 'home', address: 'Kim@example.org', isPrimary: false },
        ],
        permissionLists: ['PUBLIC'],
      },
    ],
  )
})

test('37.1 a change shows its fields and the lists that an operator gains and loses, and is one audit entry', async () => {
  const path = file('change.json', JSON.stringify([{ id: 'KIM', isLocked: true, permissionLists: ['REFERENCE_ALL'] }]))
  assert.equal(
    (await operator('import', path, '--as', 'Ann')).stdout,
    '~ KIM: isLocked +REFERENCE_ALL -PUBLIC\n0 added, 1 changed, 0 unchanged. All are stored.\n',
  )
  const store = await openStore(`${project}/data/gateway.sqlite`)
  const [last, first, ...others] = await store.administration.audit.list({ action: 'importOperators', limit: 10 })
  await store.close()
  assert.deepEqual(others, [])
  assert.deepEqual([last?.actor, last?.subject, first?.subject], ['Ann', '1 operators', '2 operators'])
  const { file: digest, ...after } = { ...(last?.after as object) } as Record<string, unknown>
  assert.match(String(digest), /^sha256:[\da-f]{64}$/)
  assert.deepEqual(after, {
    added: 0,
    changed: 1,
    changes: [
      {
        kind: 'changed',
        id: 'KIM',
        before: { isLocked: false, permissionLists: ['PUBLIC'] },
        after: { isLocked: true, permissionLists: ['REFERENCE_ALL'] },
        gains: ['REFERENCE_ALL'],
        loses: ['PUBLIC'],
      },
    ],
  })
  assert.ok(!JSON.stringify([last, first]).includes('argon2id'))
})

test('37.3 a missing column leaves what is stored, an empty list removes all', async () => {
  const path = file('some.csv', 'emails,id,passwordArgon2id\n,KIM,\n')
  assert.equal(
    (await operator('import', path)).stdout,
    '~ KIM: emails\n0 added, 1 changed, 0 unchanged. All are stored.\n',
  )
  const [, kim] = await list()
  assert.deepEqual([kim.emails, kim.isLocked, kim.hasPassword], [[], true, true])
})

for (const format of ['csv', 'json'])
  test(`37.2, 37.5 an export is imported again without a change (${format})`, async () => {
    const path = `${project}/export.${format}`
    assert.equal((await operator('export', '--out', path, '--password-hashes')).code, 0)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.ok(readFileSync(path, 'utf8').includes(hash))
    if (format === 'csv') assert.match(readFileSync(path, 'utf8'), /^'=LEE,'=1\+1,true,/m)
    assert.equal((await operator('import', path)).stdout, '0 added, 0 changed, 2 unchanged. Nothing to import.\n')
    assert.equal((await operator('export', '--out', path)).code, 1)
    const plain = await operator('export', '--format', format)
    assert.ok(!plain.stdout.includes('argon2id'))
    assert.equal(
      (await operator('import', file(`plain.${format}`, plain.stdout))).stdout,
      '0 added, 0 changed, 2 unchanged. Nothing to import.\n',
    )
  })

test('37.3 every error is reported with its place, and nothing is stored', async () => {
  const before = await list()
  const path = file(
    'bad.csv',
    'id,isLocked,emails,permissionLists\nKIM,false,a@example.com,REFERENCE_AL\nNO:ID,maybe,nope,NONE_SUCH\nLEE,"bad"x,\nMAX,true\n\nZOE,true,"a@b.c a@b.c",\nKIM,true,,\n',
  )
  const refused = await operator('import', path)
  assert.equal(refused.code, 1)
  assert.equal(refused.stdout, '')
  assert.equal(
    refused.stderr,
    `ig: The request is invalid. Nothing was stored: there are 9 errors.
  line 2, permissionLists: "REFERENCE_AL" is not a permission list of the configuration; did you mean REFERENCE_ALL?
  line 3, id must be an operator id: 1 to 30 characters, without a colon
  line 3, isLocked must be true or false, not "maybe"
  line 3, emails[0].address must be an e-mail address
  line 3, permissionLists: "NONE_SUCH" is not a permission list of the configuration
  line 4 has text after the closing quote of a cell: double the quotes within a cell
  line 5 has 2 cells; the header has 4
  line 7, emails contains an address twice
  line 8, id repeats KIM of line 2
`,
  )
  assert.deepEqual(await list(), before)
})

test('37.3 a terminal shows 100 errors, --json all of them', async () => {
  const path = file('many.csv', `id\n${'A:B\n'.repeat(1000)}`)
  const shown = (await operator('import', path)).stderr
  assert.match(
    shown,
    /^ig: The request is invalid\. Nothing was stored: there are 1000 errors\.\n {2}line 2, id .*\n {2}line 3, /,
  )
  assert.match(shown, /\n {2}line 101, .*\n {2}… and 900 more\n$/)
  const { problems } = JSON.parse((await operator('import', path, '--json')).stdout)
  assert.equal(problems.length, 1000)
  assert.equal(problems[999].path, 'line 1001, id')
})

for (const [title, name, text, message] of [
  [
    '37.2 an unknown column',
    'a.csv',
    'id,descriptoin\nA,b\n',
    /column 2: "descriptoin" is not a known column; did you mean description\?/,
  ],
  ['37.3 a repeated column', 'a.csv', 'id,id\nA,A\n', /column 2: "id" repeats a column/],
  ['37.2 a missing id', 'a.csv', 'description\nA\n', /line 1 has no column id/],
  ['37.2 a semicolon between columns', 'a.csv', 'id;emails\nA;b\n', /columns are separated by commas/],
  ['37.6 a column of salts', 'a.csv', 'id,OPERPSWDSALT\nA,b\n', /"OPERPSWDSALT" is not supported: no public source/],
  [
    '37.6 the digest of the empty password',
    'a.csv',
    'id,passwordSha1Utf16le\nA,2jmj7l5rSw0yVb/vlWAYkK/YBwk=\n',
    /is the digest of the empty password/,
  ],
  [
    '37.6 a digest of another form',
    'a.csv',
    `id,passwordSha1Utf16le\nA,${'a'.repeat(44)}\n`,
    /must be a SHA-1 digest in base64, 28 characters/,
  ],
  [
    '37.4 an argon2id hash of too much memory',
    'a.json',
    JSON.stringify([{ id: 'A', passwordArgon2id: hash.replace('19456', '99999') }]),
    /at most 64 MiB/,
  ],
  ['37.2 an unknown field', 'a.json', '[{"id":"A","emial":[]}]', /\[0\], emial is not a known field/],
  [
    '37.3 a name twice in an object of JSON',
    'a.json',
    '[{ "id": "A" },\n{ "id": "B",\n"isLocked": true, "id": "C" }]',
    /the file has "id" twice in one object, in line 3/,
  ],
  ['37.2 JSON that is no list', 'a.json', '{}', /the file must be a list of operators/],
  [
    '37.2 another kind of file',
    'a.txt',
    'id\n',
    /a\.txt does not end in \.csv or \.json\. Add --format csv or --format json\.\n$/,
  ],
  ['37.3 a list of other things', 'a.json', '[1]', /\n {2}\[0\] must be an object, not 1\n/],
  [
    '37.1 an unknown permission list',
    'a.csv',
    'id,permissionLists\nA,PUBLC\n',
    /"PUBLC" is not a permission list of the configuration; did you mean PUBLIC\?/,
  ],
] as const)
  test(`${title} is refused`, async () => {
    const refused = await operator('import', file(name, text))
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, message)
    assert.equal((await list()).length, 2)
  })

test('37.2 standard input is a file whose format is named', async () => {
  const run = (...more: readonly string[]) =>
    ig(['operator', 'import', '-', '--dry-run', ...more, '--project', project], { input: 'id\nPIPED\n' })
  assert.match((await run('--format', 'csv')).stdout, /^\+ PIPED\n1 added/)
  assert.match((await run()).stderr, /format/)
})

test('37.5 hashes of passwords are not given by the administration API', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const refused = await ask('GET /api/operator-file?passwordHashes=true', { as: 'administrator' })
  assert.deepEqual([refused.status, refused.body.code], [403, 'accessDenied'])
})

test('37.2 a file that is not UTF-8 is refused', async () => {
  writeFileSync(`${project}/latin.csv`, Buffer.from('id,description\nA,Z\xfcrich\n', 'latin1'))
  assert.match((await operator('import', `${project}/latin.csv`)).stderr, /is not UTF-8\. Save it as UTF-8\./)
})

test('37.6, 37.8 a digest is stored within argon2id, and only for an operator without a password', async () => {
  const path = file(
    'old.csv',
    'id,passwordSha1Utf16le\nOLD,uXmFVrdBvv293L9kDR3VnRmx4ZM=\nKIM,uXmFVrdBvv293L9kDR3VnRmx4ZM=\n',
  )
  assert.equal((await operator('import', path)).stdout, '+ OLD\n1 added, 0 changed, 1 unchanged. All are stored.\n')
  const store = await openStore(`${project}/data/gateway.sqlite`)
  const [old, kim] = [await store.operators.find('OLD'), await store.operators.find('KIM')]
  await store.close()
  assert.match(old?.passwordHash ?? '', /^sha1-utf16le:\$argon2id\$/)
  assert.equal(kim?.passwordHash, hash)
  assert.equal((await operator('import', path)).stdout, '0 added, 0 changed, 2 unchanged. Nothing to import.\n')
  const exported = file('again.csv', (await operator('export', '--password-hashes')).stdout)
  assert.equal((await operator('import', exported)).stdout, '0 added, 0 changed, 3 unchanged. Nothing to import.\n')
})

test('37.14 the holders of a permission list are set together: exactly those of the file', async () => {
  const held = async () => (await operator('holders', 'PUBLIC')).stdout
  await operator('import', file('two.csv', 'id,permissionLists\nKIM,PUBLIC REFERENCE_ALL\n=LEE,\n'))
  assert.equal(await held(), 'KIM\n')
  const wrong = await operator('set-holders', 'PUBLIC', file('wrong.txt', '=LEE\n\nNOBODY\nNO ONE\n'))
  assert.match(wrong.stderr, /2 errors\.\n {2}operators\[1\] NOBODY is not an operator\n {2}operators\[2\] NO ONE/)
  assert.match((await operator('set-holders', 'PUBLIK', `${project}/wrong.txt`)).stderr, /did you mean PUBLIC\?/)
  const lee = file('lee.txt', '\ufeff=LEE\r\n')
  const lines = '~ =LEE: +PUBLIC\n~ KIM: -PUBLIC\n0 added, 2 changed, 0 unchanged.'
  const planned = await operator('set-holders', 'PUBLIC', lee, '--dry-run')
  assert.equal(planned.stdout, `${lines} Nothing was changed (--dry-run).\n`)
  assert.equal(await held(), 'KIM\n')
  assert.equal((await operator('set-holders', 'PUBLIC', lee)).stdout, `${lines} All are stored.\n`)
  assert.equal(await held(), '=LEE\n')
  assert.match((await operator('set-holders', 'PUBLIC', lee)).stdout, /^0 added, 0 changed, 1 unchanged\./)
  const none = file('none.txt', '')
  assert.match((await operator('set-holders', 'PUBLIC', none)).stderr, /revoke PUBLIC from all its holders\? .*--yes/)
  assert.equal(await held(), '=LEE\n')
  assert.match((await operator('set-holders', 'PUBLIC', none, '--yes')).stdout, /^~ =LEE: -PUBLIC\n/)
})

test('31.1 a list of more than 10,000 rows says that it has only the first', async () => {
  const rows = Array.from({ length: 10_001 }, (_, at) => `MANY${at}`)
  const path = file('many.csv', `id\n${rows.join('\n')}\n`)
  assert.equal((await operator('import', path)).code, 0)
  const { code, stdout, stderr } = await operator('list', '--json')
  assert.deepEqual([code, JSON.parse(stdout).items.length], [0, 10_000])
  assert.match(stderr, /^warning: only the first 10000 of \d+ rows were read/)
  assert.equal(JSON.parse(stdout).isMore, true)
})
