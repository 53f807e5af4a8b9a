/** What answers the questions, by itself: permissions, templates, policies, recent transactions (specification 15). */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findProblem } from '../../src/cli/healthcheck.ts'
import { checkPolicy, parsePolicy } from '../../src/configuration/permission-policy.ts'
import type { Call } from '../../src/model/call.ts'
import { emptyBody } from '../../src/model/call.ts'
import type { Observation } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { Operator } from '../../src/model/operator.ts'
import { findPermission } from '../../src/model/permission.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { explainMatch } from '../../src/model/uri/explain-match.ts'
import { parseTarget } from '../../src/model/uri/target.ts'
import { compareSpecificity, parseUriTemplate } from '../../src/model/uri/uri-template.ts'
import { findRecentTransaction, openRecentTransactions } from '../../src/observe/recent-transactions.ts'
import { makeCall } from '../../src/terminal/request-line.ts'
import { afterwards } from '../support/afterwards.ts'

const operator = (id: string, permissionLists: readonly string[], isLocked = false): Operator => {
  return { id, description: '', passwordHash: undefined, emails: [], isLocked, permissionLists }
}
const place = { gatewayPath: 'PSIGW', node: 'LOCAL_NODE', maxBodyBytes: 100, proxies: undefined, rawUrlBytes: false }
const operation = (id: string, ...lists: readonly string[]) =>
  ({ id, permittedBy: new Set(lists) }) as unknown as Operation

test('1.14, 2.35, 15.1 a URL that starts with the operation is below the default local node; a complete one stays, its mistakes included', () => {
  const read = (path: string) => makeCall('GET', path, place, {}).target
  assert.equal(read('/ECHO.v1/echo/x'), '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x')
  for (const complete of [
    '/PSIGW/RESTListeningConnector/OTHER/ECHO.v1',
    '/psigw/RESTListeningConnector/LOCAL_NODE/ECHO.v1',
    '/OTHER/RestListeningConnector/LOCAL_NODE/ECHO.v1',
    '/RESTListeningConnector/LOCAL_NODE/ECHO.v1',
    '/SSCDEV/PSIGW/RESTListeningConnector/LOCAL_NODE/absence/request/7',
    '/healthz',
  ])
    assert.equal(read(complete), complete)
  const twoSegments = { ...place, gatewayPath: 'SSCDEV/PSIGW.x' }
  const { target } = makeCall('GET', '/absence/request/7', twoSegments, {})
  assert.equal(target, '/SSCDEV/PSIGW.x/RESTListeningConnector/LOCAL_NODE/absence/request/7')
  assert.equal(makeCall('GET', target, twoSegments, {}).target, target)
})

test('15.4 a permission names the lists that grant, those that would, and a lock', () => {
  const wanted = operation('A_GET.v1', 'READ', 'ALL')
  assert.deepEqual(findPermission(operator('KIM', ['ALL', 'OTHER']), wanted), {
    isAllowed: true,
    grantedBy: ['ALL'],
    wouldGrant: ['READ', 'ALL'],
    reason: 'granted by ALL',
  })
  const reasonOf = (who: Operator, what: Operation) => findPermission(who, what).reason
  assert.equal(reasonOf(operator('KIM', ['OTHER']), wanted), 'KIM holds OTHER; would be granted by READ, ALL')
  assert.equal(reasonOf(operator('KIM', []), operation('B_GET.v1')), 'KIM holds no permission list; no list has it')
  assert.deepEqual(findPermission(operator('KIM', ['ALL'], true), wanted), {
    isAllowed: false,
    grantedBy: ['ALL'],
    wouldGrant: ['READ', 'ALL'],
    reason: 'KIM is locked',
  })
})

const element = {
  type: 'String',
  isCollection: false,
  isRequired: false,
  length: undefined,
  values: undefined,
} as const
const document = { name: 'D', elements: new Map(['a', 'b'].map((name) => [name, { ...element, name }])) }
const templates = ['x/{a}', 'x/{a}.html', 'x/?q={a}&mode=full', 'x/{a}/y/{b}', '{a}/']
  .map((source, index) => {
    const parsed = parseUriTemplate(source, index + 1, document)
    assert.ok('template' in parsed)
    return parsed.template
  })
  .sort(compareSpecificity)

const matches = [
  {
    title: '15.3, 15.5 the matching template is named, and for the others the reason why they do not match',
    path: 'x/1.html',
    reasons: [
      'matches too, but 2 comes first',
      'MATCH',
      'segment 2 is "1.html", not empty',
      'it has 4 path segments, the request 2',
      'segment 2 is "1.html", not empty',
    ],
  },
  {
    title: '15.5 a missing query pair is reported with its name and literal',
    path: 'x/?q=1&mode=half',
    reasons: [
      'matches too, but 5 comes first',
      'segment 2 is "", not {a}.html',
      'the query has no mode with the value "full"',
      'it has 4 path segments, the request 2',
      'MATCH',
    ],
  },
  {
    title: '15.5 if nothing matches, each template has a reason',
    path: 'z/1/2/3/4',
    reasons: [
      'segment 1 is "z", not x',
      'segment 1 is "z", not x',
      'segment 1 is "z", not x',
      'segment 1 is "z", not x',
      'segment 2 is "1", not empty',
    ],
  },
]
for (const { title, path, reasons } of matches) {
  test(title, () => {
    const target = parseTarget(`/P/RESTListeningConnector/N/O.v1/${path}`, 'P')
    const told = explainMatch(templates, target).map(({ isMatch, reason }) => (isMatch ? 'MATCH' : reason))
    assert.deepEqual(told, reasons)
  })
}

const operators = new Map(
  [
    operator('DEMO', ['ALL']),
    operator('GUEST', ['PUBLIC']),
    operator('NIGHT SHIFT', []),
    operator('GONE', ['ALL'], true),
  ].map((one) => [one.id, one]),
)
const operations = new Map(
  [operation('ECHO_GET.v1', 'ALL', 'PUBLIC'), operation('KEY_POST.v1', 'ALL'), operation('KEY_GET.v1', 'ALL')].map(
    (one) => [one.id, one],
  ),
)
const faultsOf = (text: string) => {
  const { lines, problems } = parsePolicy(text)
  return [...problems, ...checkPolicy(lines, operators, { operations })].map(
    ({ path, message }) => `${path} ${message}`,
  )
}

test('15.7 lines of a policy that hold are no errors; comments, empty lines and any line ends are allowed', () => {
  const lines = [
    '\ufeff# who may',
    '',
    'allow DEMO *',
    '\tdeny\tGUEST  KEY_*.v1 ',
    'allow * ECHO_GET.v9'.replace('* ', 'GUEST ').replace('v9', 'v1'),
  ]
  assert.deepEqual(faultsOf([...lines, 'deny NIGHT SHIFT *', 'deny GONE *', 'deny *E*T* K*_POST*'].join('\r\n')), [])
})

test('15.7 every line that does not hold is an error with its file and line', () => {
  assert.deepEqual(faultsOf('allow GUEST KEY_POST.v1\ndeny DEMO *\ndeny * ECHO_GET.v1\nallow GONE ECHO_GET.v1'), [
    'permissions.policy:1 is violated: GUEST may not call KEY_POST.v1: GUEST holds PUBLIC; would be granted by ALL',
    'permissions.policy:2 is violated: DEMO may call ECHO_GET.v1: granted by ALL (and 2 more of 3)',
    'permissions.policy:3 is violated: DEMO may call ECHO_GET.v1: granted by ALL (and 1 more of 4)',
    'permissions.policy:4 is violated: GONE may not call ECHO_GET.v1: GONE is locked',
  ])
})

test('15.7 a line that names no operator or no operation, or is malformed, is an error', () => {
  assert.deepEqual(
    faultsOf('deny DEMOO *\ndeny DEMO ECHO_GOT.v1\nallow X* *\npermit DEMO *\nallow DEMO\nAllow DEMO *'),
    [
      'permissions.policy:4 is not a policy rule: "permit DEMO *". Write allow or deny, an operator and an operation: allow DEMO KEY_VALUE_POST.v1',
      'permissions.policy:5 is not a policy rule: "allow DEMO". Write allow or deny, an operator and an operation: allow DEMO KEY_VALUE_POST.v1',
      'permissions.policy:6 is not a policy rule: "Allow DEMO *". Write allow or deny, an operator and an operation: allow DEMO KEY_VALUE_POST.v1',
      'permissions.policy:1 names an unknown operator: "DEMOO"; did you mean DEMO?',
      'permissions.policy:2 names an unknown operation: "ECHO_GOT.v1"; did you mean ECHO_GET.v1?',
      'permissions.policy:3 names an unknown operator: "X*"',
    ],
  )
})

const html = { 'content-type': 'text/html; charset=UTF-8' }
const answers = [
  { title: '15.6 a success passes', status: 204, headers: {}, text: '', fault: '' },
  {
    title: '15.6 a page of the operation passes',
    status: 200,
    headers: html,
    text: '<p>You are authorized</p>',
    fault: '',
  },
  {
    title: '15.6 a page with status 200 that says not authorized fails',
    status: 200,
    headers: html,
    text: '<HTML><BODY>User Id: X is not authorized for the operation Y.</BODY></HTML>',
    fault: 'refusal page: User Id: X is not authorized for the operation Y.',
  },
  {
    title: '15.6 a page with status 200 that says was not found fails',
    status: 200,
    headers: html,
    text: '<HTML><BODY>Service Version Method for Y.v1 was not found.</BODY></HTML>',
    fault: 'refusal page: Service Version Method for Y.v1 was not found.',
  },
  { title: '15.6 words of a refusal in data are data', status: 200, headers: {}, text: 'was not found', fault: '' },
  { title: '15.6 a redirect fails', status: 302, headers: {}, text: '', fault: 'the status is not 200 to 299' },
  {
    title: '15.6 a refusal fails by its code',
    status: 503,
    headers: { 'ig-refusal': 'overloaded' },
    text: '',
    fault: 'refused: overloaded',
  },
]
for (const { title, status, headers, text, fault } of answers) {
  test(title, () => assert.equal(findProblem(status, new Headers(headers), text), fault))
}

function answered(number: number, more: Partial<Call> = {}, refusal?: Refusal): Observation {
  const headers = { authorization: 'Basic …' }
  const call = { method: 'GET', target: '/x', headers, remoteAddress: '127.0.0.1', ...more } as Call
  const operation = { id: 'ECHO_GET.v1', templates: [], permittedBy: new Set() } as unknown as Operation
  const operator = { id: 'DEMO', permissionLists: [] } as unknown as Operator
  const transaction = {
    id: idOf(number),
    begun: 1_000,
    sessionId: '',
    isSecure: false,
    ecid: '',
    rid: '0',
    operation,
    operator,
  }
  const reply = { status: 200, headers: [], body: emptyBody }
  return { kind: 'answered', call, transaction, reply, ended: 1_005, ...(refusal ? { refusal } : {}) }
}
const idOf = (number: number) => `00000000-0000-0000-0000-${String(number).padStart(12, '0')}`
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-recent-'))
  afterwards(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
const sizesOf = (folder: string) =>
  readdirSync(join(folder, 'data')).map((name) => statSync(join(folder, 'data', name)).size)

test('15.2 the latest calls survive a restart, the oldest are dropped, and the files stay within their bound', async () => {
  const folder = makeFolder()
  const longest = `/${'ä'.repeat(4_000)}`
  for (let run = 0; run < 40; run++) {
    const recent = openRecentTransactions({ folder, keep: 10 })
    for (let call = 0; call < 10; call++) recent.observe(answered(run * 10 + call, { target: longest }))
    await recent.close()
  }
  for (let number = 390; number < 400; number++) {
    const found = await findRecentTransaction(folder, idOf(number))
    assert.equal(found?.transaction?.durationMs, 5, `call ${number}`)
  }
  assert.equal(await findRecentTransaction(folder, idOf(0)), undefined)
  assert.deepEqual(
    sizesOf(folder).map((size) => size <= 10 * 2048),
    [true, true],
  )
})

test('15.2 of a burst the failed calls are kept, then the first, in no more memory than they need', async () => {
  const folder = makeFolder()
  const recent = openRecentTransactions({ folder, keep: 100 })
  const refusal = new Refusal('permissionDenied', 'no list')
  for (let number = 0; number < 5_050; number++) {
    recent.observe(number === 3_000 ? answered(number, {}, refusal) : answered(number))
  }
  await recent.close()
  const ids = readFileSync(join(folder, 'data/recent-transactions.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).transactionId)
  assert.deepEqual(ids, [idOf(3_000), ...Array.from({ length: 99 }, (_, at) => idOf(at))])
})

test('15.2 unreadable requests displace no calls with credentials', async () => {
  const folder = makeFolder()
  const recent = openRecentTransactions({ folder, keep: 10 })
  const { transaction } = answered(0) as Extract<Observation, { kind: 'answered' }>
  const { operation, operator, ...unread } = transaction
  for (let number = 100; number < 150; number++) {
    const message = 'Request refused: missing Host'
    recent.observe({ kind: 'note', level: 'warning', transaction: { ...unread, id: idOf(number) }, message })
  }
  recent.observe(answered(1))
  recent.observe(answered(2, {}, new Refusal('permissionDenied', 'no list')))
  await recent.close()
  for (const number of [1, 2, 100]) assert.ok(await findRecentTransaction(folder, idOf(number)), `${number}`)
})

test('15.2 calls without credentials displace no failed call with credentials', async () => {
  const folder = makeFolder()
  const recent = openRecentTransactions({ folder, keep: 10 })
  const { transaction } = answered(0) as Extract<Observation, { kind: 'answered' }>
  const operation = { ...transaction.operation, verification: 'NONE' } as Operation
  for (let number = 100; number < 150; number++) {
    recent.observe({
      kind: 'note',
      level: 'warning',
      transaction: { ...transaction, id: idOf(number), operation },
      message: 'noted',
    })
  }
  recent.observe(answered(1, {}, new Refusal('permissionDenied', 'no list')))
  await recent.close()
  assert.ok(await findRecentTransaction(folder, idOf(1)))
})

test('15.2 recent transactions have no secrets, and with ig.recentTransactions=0 none are kept', async () => {
  const folder = makeFolder()
  const recent = openRecentTransactions({ folder, keep: 10 })
  const refusal = new Refusal(
    'tokenRejected',
    'Cause: eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl.',
  )
  const headers = { authorization: 'Basic REVNTzpkZW1vLXBhc3N3b3Jk', cookie: 'JSESSIONID=topsecret' }
  recent.observe(answered(1, { target: '/x?access_token=topsecret&password=topsecret', headers }, refusal))
  const { transaction } = answered(1) as Extract<Observation, { kind: 'answered' }>
  recent.observe({ kind: 'note', level: 'error', transaction, message: 'password=topsecret failed' })
  recent.observe({ kind: 'note', level: 'debug', transaction, message: 'not worth keeping' })
  await recent.close()
  const text = readFileSync(join(folder, 'data/recent-transactions.jsonl'), 'utf8')
  assert.doesNotMatch(text, /topsecret|REVNTz|eyJ|c2lnbmF|not worth/)
  const found = await findRecentTransaction(folder, idOf(1))
  assert.deepEqual(found?.notes, ['password=[redacted] failed'])

  const none = makeFolder()
  const off = openRecentTransactions({ folder: none, keep: 0 })
  off.observe(answered(1))
  await off.close()
  assert.deepEqual(readdirSync(none), [])
})
