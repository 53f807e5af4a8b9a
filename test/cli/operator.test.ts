/** `ig operator`, on a store of its own (specification 3.2, 3.4, 8.7). */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { describeCertificate } from '../../src/model/certificate.ts'
import { openStore } from '../../src/store/open-store.ts'
import { verifyPassword } from '../../src/verification/password.ts'
import { openAuthority } from '../support/authority.ts'
import { copyReference, ig, makeProject, spawnIg } from '../support/cli.ts'

const project = copyReference()

const operator = (...args: readonly string[]) => ig(['operator', ...args, '--project', project])
const failed = (stderr: string, code = 1) => ({ code, stdout: '', stderr: `ig: ${stderr}\n` })

test('3.2 an operator is added with password, addresses and permission lists, and listed', async () => {
  const args = ['--email', 'kim@example.com', '--email', 'home:kim@example.org', '--permission-list', 'PUBLIC']
  const added = await spawnIg(
    ['operator', 'add', 'KIM', ...args, '--description', 'Night shift', '--password-stdin', '--project', project],
    { input: 'pass:wörd of kim \n' },
  )
  assert.deepEqual(added, { code: 0, stdout: 'KIM is added.\n', stderr: '' })

  const listed = await operator('list', '--json')
  assert.deepEqual(JSON.parse(listed.stdout).items, [
    {
      id: 'KIM',
      description: 'Night shift',
      isLocked: false,
      hasPassword: true,
      emails: [
        { type: 'business', address: 'kim@example.com', isPrimary: true },
        { type: 'home', address: 'kim@example.org', isPrimary: false },
      ],
      certificates: [],
      permissionLists: ['PUBLIC'],
    },
  ])
  assert.match(
    (await operator('list')).stdout,
    /^OPERATOR +STATE .*\nKIM +active +PUBLIC +kim@example.com, kim@example.org +Night shift\n$/,
  )

  const store = await openStore(`${project}/data/gateway.sqlite`)
  const hash = (await store.operators.find('KIM'))?.passwordHash ?? ''
  await store.close()
  assert.match(hash, /^\$argon2id\$/)
  assert.ok(
    await verifyPassword(hash, 'pass:wörd of kim '),
    'only the line break at its end is no part of the password',
  )
})

test('31.1 a list says how many rows --limit leaves out, and only then', async () => {
  const folder = copyReference()
  const list = (...args: readonly string[]) => ig(['operator', 'list', ...args, '--project', folder])
  for (const id of ['ONE', 'TWO', 'THREE']) await ig(['operator', 'add', id, '--no-password', '--project', folder])
  const narrowed: readonly (readonly [
    args: readonly string[],
    rows: number,
    total: number | undefined,
    said: string,
  ])[] = [
    [['--limit', '2'], 2, 3, '2 of 3 rows\n'],
    [['--limit', '3'], 3, 3, ''],
    [['--limit', '2', '--sort', '-id'], 2, 3, '2 of 3 rows\n'],
    [['--limit', '1', '--filter', 'hasPassword=false'], 1, 3, '1 of 3 rows\n'],
    [['--limit', '1', '--filter', 'id=TWO'], 1, 1, ''],
  ]
  for (const [args, rows, total, said] of narrowed) {
    const { items, ...facts } = JSON.parse((await list(...args, '--json')).stdout)
    assert.deepEqual([items.length, facts.total, facts.isMore], [rows, total, said !== ''], args.join(' '))
    assert.equal((await list(...args)).stderr, said, args.join(' '))
  }
})

test('3.2, 3.4 the addresses of an operator are replaced', async () => {
  const replaced = await operator(
    ...['set', 'KIM', '--email', 'Kim@example.com', '--email', 'home:kim@example.org', '--email', 'Kim@example.com'],
  )
  assert.equal(replaced.stdout, 'KIM has Kim@example.com, kim@example.org.\n')
  await operator('set', 'KIM', '--email', '')
  assert.deepEqual(JSON.parse((await operator('show', 'KIM', '--json')).stdout).emails, [])
  await operator('set', 'KIM', '--email', 'kim@example.com')
  const { emails } = JSON.parse((await operator('show', 'KIM', '--json')).stdout)
  assert.deepEqual(emails, [{ type: 'business', address: 'kim@example.com', isPrimary: true }])
})

test('28.16 the client certificates of an operator are replaced, by files and by names', async () => {
  const file = `${project}/kim.pem`
  writeFileSync(file, openAuthority().issue('kim').cert)
  const { fingerprint } = describeCertificate(new X509Certificate(readFileSync(file)))
  const replaced = await operator(
    ...['set', 'KIM', '--certificate', file, '--certificate', 'subject: CN = kim; issuer: CN = ca'],
  )
  assert.equal(replaced.stdout, `KIM has ${fingerprint}, subject: CN=kim; issuer: CN=ca.\n`)
  const certificates = async () => JSON.parse((await operator('show', 'KIM', '--json')).stdout).certificates
  assert.deepEqual(await certificates(), [fingerprint, 'subject: CN=kim; issuer: CN=ca'])
  const unknown = await operator('set', 'KIM', '--certificate', 'absent.pem')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /"absent\.pem" is not a file, and must be sha256: and the fingerprint/)
  writeFileSync(file, 'no certificate')
  assert.match((await operator('set', 'KIM', '--certificate', file)).stderr, /is not a certificate: PEM or DER/)
  assert.equal((await operator('set', 'KIM', '--certificate', '')).stdout, 'KIM has no client certificate.\n')
  assert.deepEqual(await certificates(), [])
})

test('3.2 an operator for OAuth2 only has no password', async () => {
  const added = await operator('add', 'BATCH', '--no-password', '--json')
  const { hasPassword, permissionLists } = JSON.parse(added.stdout)
  assert.deepEqual({ hasPassword, permissionLists }, { hasPassword: false, permissionLists: [] })
})

test('3.2 an operator is locked, unlocked, granted and revoked', async () => {
  const steps = [
    { args: ['lock', 'BATCH'], says: 'BATCH is locked.', isLocked: true, permissionLists: [] },
    {
      args: ['grant', 'BATCH', 'REFERENCE_ALL'],
      says: 'BATCH holds REFERENCE_ALL.',
      isLocked: true,
      permissionLists: ['REFERENCE_ALL'],
    },
    { args: ['unlock', 'BATCH'], says: 'BATCH is unlocked.', isLocked: false, permissionLists: ['REFERENCE_ALL'] },
    {
      args: ['revoke', 'BATCH', 'REFERENCE_ALL'],
      says: 'BATCH no longer holds REFERENCE_ALL.',
      isLocked: false,
      permissionLists: [],
    },
  ]
  for (const { args, says, ...state } of steps) {
    assert.equal((await operator(...args)).stdout, `${says}\n`)
    const store = await openStore(`${project}/data/gateway.sqlite`)
    const { isLocked, permissionLists } = (await store.operators.find('BATCH')) ?? {}
    await store.close()
    assert.deepEqual({ isLocked, permissionLists }, state)
  }
})

test('18.19 an operator is deleted, and its id is free again', async () => {
  await operator('add', 'TEMP', '--no-password')
  assert.equal((await operator('delete', 'TEMP', '--yes')).stdout, 'TEMP is deleted.\n')
  assert.match((await operator('delete', 'TEMP', '--yes')).stderr, /There is no operator TEMP/)
  assert.match((await operator('add', 'TEMP', '--no-password')).stdout, /TEMP is added/)
})

test('31.8 a verb that deletes for ever asks at a terminal, where --yes answers, and elsewhere refuses without it', async () => {
  const asked = 'Delete the operator TEMP with its password, addresses and grants?'
  const remove = (input: string, isTTY: boolean) =>
    ig(['operator', 'delete', 'TEMP', '--project', project], { input, isTTY })
  assert.deepEqual(await remove('y\n', false), failed(`${asked} No one can be asked here: add --yes.`))
  assert.deepEqual(await remove('n\n', true), {
    code: 1,
    stdout: '',
    stderr: `${asked} [y/N] ig: nothing was changed.\n`,
  })
  assert.deepEqual(await remove('y\n', true), { code: 0, stdout: 'TEMP is deleted.\n', stderr: `${asked} [y/N] ` })
})

interface FaultRow {
  readonly title: string
  readonly args: readonly string[]
  readonly input?: string
  readonly says: string
  readonly code?: number
}

const faults: readonly FaultRow[] = [
  {
    title: '3.2 an operator that already exists',
    args: ['add', 'KIM', '--no-password'],
    says: 'The request conflicts with the current state. Operator KIM already exists.',
  },
  {
    title: '3.2 an unknown operator, naming the nearest one',
    args: ['lock', 'KIMM'],
    says: 'Not found. There is no operator KIMM; did you mean KIM?',
  },
  {
    title: '3.2 an id with a colon',
    args: ['add', 'a:b', '--no-password'],
    says: 'the input has an error:\n  id must be an operator id: 1 to 30 characters, without a colon',
    code: 2,
  },
  {
    title: '3.2 a text that is not an address',
    args: ['add', 'LEE', '--no-password', '--email', 'lee'],
    says: '"lee" is not an e-mail address: name@example.com or home:name@example.com.',
    code: 2,
  },
  {
    title: '3.4 the address of an unknown operator',
    args: ['set', 'KIN', '--email', 'kim@example.com'],
    says: 'Not found. There is no operator KIN; did you mean KIM?',
  },
  {
    title: '3.2 an unknown permission list, naming the nearest one',
    args: ['grant', 'KIM', 'PUBLICK'],
    says: 'The request is invalid. There is no permission list PUBLICK; did you mean PUBLIC?\n  permissionLists[0] is not a permission list of the configuration: PUBLICK',
  },
  {
    title: '3.2 a permission list that the operator does not have',
    args: ['revoke', 'KIM', 'REFERENCE_ALL'],
    says: 'Not found. There is no grant to KIM of REFERENCE_ALL.',
  },
  {
    title: '3.23 an empty password',
    args: ['set-password', 'KIM', '--password-stdin'],
    input: '\n',
    says: 'the password must have 12 to 1,024 characters; nothing was changed. --generate-password makes one.',
  },
  {
    title: '3.7, 3.23 a password that Basic authentication cannot carry',
    args: ['set-password', 'KIM', '--password-stdin'],
    input: 'a long\tpassword',
    says: 'the password must not have control characters or several lines; nothing was changed. --generate-password makes one.',
  },
  {
    title: '3.23 a common password',
    args: ['set-password', 'KIM', '--password-stdin'],
    input: 'Password1234\n',
    says: 'the password is a common password: choose another one; nothing was changed. --generate-password makes one.',
  },
  {
    title: '3.2 a password without a terminal',
    args: ['set-password', 'KIM'],
    says: 'no terminal to ask for the password. Pipe it in with --password-stdin.',
  },
]
for (const { title, args, input = '', says, code } of faults) {
  test(`${title} is refused on the command line`, async () => {
    assert.deepEqual(await ig(['operator', ...args, '--project', project], { input }), failed(says, code))
  })
}

test('3.23 a password comes from one source', async () => {
  for (const [one, other] of [
    ['--password-stdin', '--generate-password'],
    ['--no-password', '--generate-password'],
    ['--no-password', '--password-stdin'],
    ['--generate-password', '--first-login'],
  ] as const) {
    const { code, stderr } = await operator('add', 'TWICE', one, other)
    assert.equal(code, 2, stderr)
    assert.match(stderr, new RegExp(`option '(?:${one}|${other})' cannot be used with option '(?:${one}|${other})'`))
  }
  assert.match((await operator('show', 'TWICE')).stderr, /There is no operator TWICE/)
})

test('31.8 before a password or a yes is asked for, the input is checked, and whether what it names is there', async () => {
  const ask = (line: string) => ig([...line.split(' '), '--project', project], { input: '', isTTY: true })
  const noOperator = failed('Not found. There is no operator KIMM; did you mean KIM?')
  for (const line of ['operator delete KIMM', 'operator set-password KIMM', 'session-token revoke KIMM'])
    assert.deepEqual(await ask(line), noOperator, line)
  assert.deepEqual(await ask('token revoke none'), failed('there is no "none": ig token list has all.'))
  assert.deepEqual(
    await ask('session-token revoke-key none'),
    failed('there is no "none": ig session-token list-keys has all.'),
  )
  assert.deepEqual(await ask('operator add KIM'), failed('KIM already exists.'))
  assert.match((await ask('operator add a:b')).stderr, /^ig: the input has an error:\n {2}id must be /)
})

test('31.9 a renamed verb says its new name', async () => {
  const says = (former: string, now: string) => ({ code: 2, stdout: '', stderr: `ig: "${former}" is now: ${now}\n` })
  const set = says('operator set-email', 'ig operator set <id> --email <address>')
  const token = says('administrator token', 'ig token create <administrator>')
  const accessToken = says('token', 'ig access-token <operator>, for an access token of the sample issuer')
  assert.deepEqual(await ig(['administrator', 'token', 'kim', '--out', 't']), token)
  assert.deepEqual(await ig(['token', 'DEMO', '--issuer-port', '8090']), accessToken)
  assert.deepEqual(await ig(['token', '--project', '.', 'DEMO']), accessToken)
  assert.match((await ig(['token', 'lits'])).stderr, /unknown command 'lits'\n\(Did you mean list\?\)/)
  assert.match((await ig(['token', 'help', 'list'])).stdout, /^Usage: ig token list/)
  assert.deepEqual(await operator('set-email', 'KIM', 'kim@example.com'), set)
  assert.deepEqual(await ig(['help', 'operator', 'set-email']), set)
  assert.deepEqual(await ig(['help', 'revisions']), says('revisions', 'ig revision list'))
  assert.deepEqual(await ig(['invite', '.']), says('invite', 'ig administrator invite'))
})

test('37.9 an operator whose first password is verified elsewhere has none here, and no password can be given', async () => {
  const { hasPassword, firstLogin } = JSON.parse((await operator('add', 'NEW', '--first-login', '--json')).stdout)
  assert.deepEqual([hasPassword, firstLogin], [false, true])
  assert.match((await operator('list')).stdout, /^NEW +first login/m)
  assert.equal((await operator('delete', 'NEW', '--yes')).code, 0)
})

test('3.23 a generated password is printed once and is the one that was set', async () => {
  const changed = await operator('set-password', 'KIM', '--generate-password')
  const [, password = ''] =
    /^KIM has a new password\.\nPassword, shown this once: ([\w-]{24})\n$/.exec(changed.stdout) ?? []
  const added = JSON.parse((await operator('add', 'LEE', '--generate-password', '--json')).stdout)
  const store = await openStore(`${project}/data/gateway.sqlite`)
  const hashOf = async (id: string) => (await store.operators.find(id))?.passwordHash ?? ''
  const hashes = [await hashOf('KIM'), await hashOf('LEE')] as const
  await store.close()
  assert.ok(await verifyPassword(hashes[0], password))
  assert.ok(await verifyPassword(hashes[1], added.password))
})

test('8.7 a password is never an argument of the command line', async () => {
  const { code, stderr } = await operator('add', 'LEE', '--password', 'secret')
  assert.equal(code, 2)
  assert.match(stderr, /unknown option '--password'/)
})

test('3.2 a folder without a project is reported, and no database is created in it', async () => {
  const folder = makeProject({})
  const { code, stderr } = await ig(['operator', 'list'], { cwd: folder })
  assert.deepEqual(
    [code, stderr],
    [
      1,
      `ig: ${realpathSync(folder)} is not a project: it has no gateway.config.ts. Name the folder with --project <folder>.\n`,
    ],
  )
  assert.ok(!existsSync(`${folder}/data`))
})
