/** What the logs say at which level, and what they never say (specification 8.5 to 8.7, 4.14). */

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { AnsweredCall } from '../../src/model/call-record.ts'
import type { Observation } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/operation.ts'
import { Refusal, type RefusalCode } from '../../src/model/refusal.ts'
import { redactText } from '../../src/observe/masking/redact.ts'
import { type LogOptions, type Logs, openLogs } from '../../src/observe/open-logs.ts'
import { readSettings } from '../../src/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'ig-logs-'))
after(() => rmSync(folder, { recursive: true }))
let runs = 0

interface Written {
  readonly messageLog: string
  readonly errorLog: string
  readonly stdout: string
  readonly dropped: Logs['dropped']
}

async function write(
  level: number,
  observations: readonly Observation[],
  options?: LogOptions,
  environment: Readonly<Record<string, string>> = {},
): Promise<Written> {
  const project = join(folder, String(++runs))
  const settings = readSettings(project, { IG_LOG_LEVEL: String(level), ...environment })
  let stdout = ''
  const logs = openLogs(settings, { write: (text) => (stdout += text) }, options)
  for (const observation of observations) logs.observe(observation)
  await logs.close()
  const { dropped } = logs
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  return { messageLog: read(settings.log.messageLogFile), errorLog: read(settings.log.errorLogFile), stdout, dropped }
}

interface CallFacts {
  readonly target?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly requestBody?: string | Buffer
  readonly responseBody?: string | Buffer
  readonly replyHeaders?: readonly string[]
  readonly refusal?: Refusal
  readonly logDetail?: Operation['logDetail']
}

function call(facts: CallFacts = {}): AnsweredCall {
  const { target = '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/a', refusal, logDetail = 'none' } = facts
  const observation = {
    kind: 'answered',
    ended: Date.now(),
    call: { method: 'GET', target, headers: facts.headers ?? {}, remoteAddress: '127.0.0.1' },
    transaction: {
      id: '00000000-0000-4000-8000-000000000000',
      begun: Date.now(),
      operation: { id: 'ECHO_GET.v1', logDetail },
      operator: { id: 'DEMO' },
      message: { loggedBody: Buffer.from(facts.requestBody ?? '') },
    },
    reply: {
      status: refusal ? 500 : 200,
      headers: facts.replyHeaders ?? ['content-type', 'text/xml'],
      body: { bytes: Buffer.from(facts.responseBody ?? '') },
    },
    ...(refusal ? { refusal } : {}),
  }
  return observation as unknown as AnsweredCall
}

const refused = (code: RefusalCode) => call({ refusal: new Refusal(code, `because of ${code}`) })
const event = (level: 'error' | 'warning' | 'information', message: string): Observation => {
  return { kind: 'event', level, name: 'something', message }
}
const note = (level: 'error' | 'warning' | 'information' | 'debug', message: string): Observation => {
  return { kind: 'note', level, message }
}

interface LevelRow {
  readonly title: string
  readonly observation: Observation
  readonly mark: string
  /** The least level that writes it. */
  readonly from: number
  readonly log: 'messageLog' | 'errorLog'
}

const levelRows: readonly LevelRow[] = [
  {
    title: '8.5 an error of the gateway',
    observation: refused('unexpected'),
    mark: 'because of unexpected',
    from: -1,
    log: 'errorLog',
  },
  {
    title: '8.5 a failed handler',
    observation: refused('handlerFailed'),
    mark: 'because of handlerFailed',
    from: 1,
    log: 'errorLog',
  },
  {
    title: '8.5 a handler that took too long',
    observation: refused('handlerTimedOut'),
    mark: 'because of handlerTimedOut',
    from: 1,
    log: 'errorLog',
  },
  {
    title: '8.5 a store outage',
    observation: event('error', 'store away'),
    mark: 'store away',
    from: 1,
    log: 'errorLog',
  },
  {
    title: '8.5 a refused call',
    observation: refused('permissionDenied'),
    mark: 'because of permissionDenied',
    from: 2,
    log: 'errorLog',
  },
  {
    title: "8.5 a handler's error",
    observation: note('error', 'said error'),
    mark: 'said error',
    from: 2,
    log: 'errorLog',
  },
  {
    title: "8.5 a handler's warning",
    observation: note('warning', 'said warning'),
    mark: 'said warning',
    from: 2,
    log: 'errorLog',
  },
  {
    title: '8.5 keys that were fetched',
    observation: event('information', 'keys fetched'),
    mark: 'keys fetched',
    from: 3,
    log: 'messageLog',
  },
  {
    title: '8.5 a call of an operation with log detail',
    observation: call({ logDetail: 'header' }),
    mark: 'ECHO_GET.v1',
    from: 3,
    log: 'messageLog',
  },
  { title: '8.5 any other call', observation: call(), mark: 'ECHO_GET.v1', from: 4, log: 'messageLog' },
  {
    title: "8.5 a handler's information",
    observation: note('information', 'said info'),
    mark: 'said info',
    from: 4,
    log: 'messageLog',
  },
  {
    title: "8.5 a handler's debug note",
    observation: note('debug', 'said debug'),
    mark: 'said debug',
    from: 5,
    log: 'messageLog',
  },
]
for (const { title, observation, mark, from, log } of levelRows) {
  test(`${title} is logged from level ${from} on`, async () => {
    for (const level of [-100, -1, 1, 2, 3, 4, 5]) {
      const written = await write(level, [observation])
      assert.equal(written[log].includes(mark), level >= from, `${log} at level ${level}`)
      assert.equal(written.stdout.includes(mark), level >= from, `standard output at level ${level}`)
    }
  })
}

test('8.5 health checks are logged only where ig.log.healthChecks asks for them; refused ones like every call', async () => {
  const check = (target: string, refusal?: Refusal) => {
    const { transaction, ...rest } = call({ target, ...(refusal && { refusal }) })
    const { operation: _, ...found } = transaction
    return { ...rest, transaction: { ...found, target: { kind: target.slice(1) } } } as unknown as AnsweredCall
  }
  const observations = [check('/healthz'), check('/readyz'), check('/readyz', new Refusal('overloaded', 'No.'))]
  const { stdout, messageLog } = await write(5, observations)
  assert.ok(!stdout.includes('/healthz') && !messageLog.includes('/healthz'))
  assert.deepEqual([stdout.trim().split('\n').length, messageLog.match(/<article/g)?.length], [1, 1])
  const asked = await write(4, observations, undefined, { IG_LOG_HEALTHCHECKS: 'true' })
  assert.ok(asked.stdout.includes('/healthz') && asked.messageLog.includes('/healthz'))
})

test('8.6 with ig.log.files=false there is only the log on standard output', async () => {
  const { stdout, messageLog, errorLog } = await write(4, [call()], undefined, { IG_LOG_FILES: 'false' })
  assert.ok(stdout.includes('ECHO_GET.v1'))
  assert.deepEqual([messageLog, errorLog], ['', ''])
})

test('8.5 at level -100 there is no log file and no output at all', async () => {
  const everything = levelRows.map(({ observation }) => observation)
  const { dropped: _dropped, ...written } = await write(-100, everything, { showsCalls: true })
  assert.deepEqual(written, { messageLog: '', errorLog: '', stdout: '' })
})

test('8.6 a log is an HTML page, in which every element that an entry opens is closed', async () => {
  const { errorLog, messageLog } = await write(5, [...levelRows.map(({ observation }) => observation), hostile])
  for (const page of [errorLog, messageLog]) {
    assert.match(page, /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
    assert.deepEqual(unclosedElements(page), ['html', 'body'])
  }
})

const hostileText = '<script>alert(1)</script>"\'&\u001b[2J\r\nforged line\u009b31m\u202eevil\u0000\ud800'
const hostile = call({
  target: `/${hostileText}`,
  headers: { 'user-agent': hostileText },
  requestBody: hostileText,
  refusal: new Refusal('permissionDenied', hostileText, { cause: new Error(hostileText) }),
})

test('8.6 nothing that a caller sends becomes HTML, controls a terminal or forges a line', async () => {
  const { errorLog, messageLog, stdout } = await write(5, [hostile])
  for (const page of [errorLog, messageLog]) {
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
    assert.doesNotMatch(page, /<script/)
    assert.doesNotMatch(page, steering)
  }
  assert.doesNotMatch(stdout, steering)
  assert.equal(stdout.split('\n').length, 2)
  assert.equal(
    JSON.parse(stdout).message,
    '<script>alert(1)</script>"\'&\\x1b[2J\\r\\nforged line\\x9b31m\\u202eevil\\x00\ufffd',
  )

  const { stdout: text } = await write(5, [hostile], { format: 'text', hasColor: false })
  assert.doesNotMatch(text, steering)
  assert.doesNotMatch(text, /^forged/m)
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800]/

test('4.14 for a rejected token the error log has what the response leaves out', async () => {
  const reason =
    "Invalid Access Token. OAuth2 Authentication failed for Service Operation METADATA_OAUTH2.v1 (158,461). No operator was found for the OAuth2 user, payload string: ''."
  const { errorLog } = await write(3, [call({ refusal: new Refusal('tokenRejected', `${reason} Cause: the <hour>.`) })])
  assert.ok(errorLog.includes(reason))
  assert.match(errorLog, /Cause: <b>the &lt;hour&gt;\.<\/b>/)
  const found = errorLog.split('\n').filter((line) => line.includes('00000000-0000-4000-8000-000000000000'))
  assert.equal(found.length, 1)
  assert.match(found[0] ?? '', /Invalid Access Token.*Cause/, 'whoever searches for the transaction id has the cause')
})

test('8.12 in a flood of refused calls the first hundred are logged, and the rest are counted', async () => {
  const strangers = (code: RefusalCode, count: number) => Array.from({ length: count }, () => refused(code))
  const credentials = { headers: { authorization: 'Basic x' } }
  const denied = call({ ...credentials, refusal: new Refusal('permissionDenied', 'may not') })
  const flood = [
    ...strangers('basicRejected', 102),
    ...strangers('operationNotFound', 3),
    denied,
    refused('handlerFailed'),
  ]
  const { errorLog, stdout, dropped } = await write(2, flood)
  for (const log of [errorLog, stdout]) {
    assert.equal(log.match(/because of basicRejected/g)?.length, 100)
    assert.equal(log.match(/because of operationNotFound/g), null)
    assert.match(log, /may not/, 'calls with accepted credentials have a bound of their own')
    assert.match(log, /because of handlerFailed/, 'what fails inside is always logged')
    assert.match(log, /5 refused calls of the last second were not logged.*: basicRejected 2, operationNotFound 3\./)
  }
  assert.equal(stdout.match(/refusalsNotLogged/g)?.length, 1)
  assert.deepEqual(dropped, { message: 0, error: 5, standardOutput: 5 })
})

test('8.12 further refused calls cost no time for log entries: their reasons are not made', async () => {
  let made = 0
  const stray = () => call({ refusal: new Refusal('operationNotFound', () => `reason ${++made}`) })
  const { errorLog, stdout } = await write(2, Array.from({ length: 700 }, stray))
  assert.equal(made, 100)
  for (const log of [errorLog, stdout]) assert.equal(log.match(/reason \d+/g)?.length, 100)
})

test('8.12 entries that no log would write do not count as lost', async () => {
  const { dropped } = await write(
    1,
    Array.from({ length: 102 }, () => refused('basicRejected')),
  )
  assert.deepEqual(dropped, { message: 0, error: 0, standardOutput: 0 })
})

test('8.6 an error is logged with its stack and its cause', async () => {
  const cause = new Error('outer', { cause: new TypeError('inner') })
  const { errorLog, stdout } = await write(-1, [call({ refusal: new Refusal('unexpected', 'outer', { cause }) })])
  for (const text of [errorLog, stdout]) {
    assert.match(text, /Error: outer/)
    assert.match(text, /caused by: TypeError: inner/)
    assert.match(text, /logs\.test\.ts/)
  }
})

const secrets: readonly (readonly [what: string, facts: CallFacts, kept?: string])[] = [
  ['Authorization', { headers: { authorization: 'Basic aHVudGVyMg==' } }, 'authorization: Basic [redacted]'],
  ['an Authorization of no known scheme', { headers: { authorization: 'hunter2' } }, 'authorization: [redacted]'],
  ['Proxy-Authorization', { headers: { 'proxy-authorization': 'Bearer hunter2' } }],
  ['a cookie', { headers: { cookie: 'JSESSIONID=hunter2' } }, 'cookie: [redacted]'],
  ['a cookie that is set', { replyHeaders: ['set-cookie', 'JSESSIONID=hunter2; Path=/'] }, 'set-cookie: [redacted]'],
  ['an API key', { headers: { 'x-api-key': 'hunter2' } }],
  ['a password in the query', { target: '/x?user=me&password=hunter2&y=1' }, 'y=1'],
  ['a token in the query', { target: '/x?access_token=hunter2' }],
  ['a password in the query under an encoded name', { target: '/x?%70ass%77ord=hunter2&y=1' }, 'y=1'],
  ['a password in JSON under an escaped name', { requestBody: '{"p\\u0061ssword":"hunter2","n":1}' }, 'n&quot;:1'],
  [
    'a password in XML',
    { requestBody: '<r><wsse:Password Type="t">hunter2</wsse:Password><n>1</n></r>' },
    '&lt;n&gt;1',
  ],
  ['a password in CDATA', { requestBody: '<password><![CDATA[<hunter2>]]></password>' }],
  ['a password in an attribute', { requestBody: '<login password="hunter2" user="me"/>' }, 'user='],
  ['a password in an attribute with white space', { requestBody: '<login password = "hunter2" user="me"/>' }, 'user='],
  [
    'a password below a prefix of other letters',
    { requestBody: '<ü:password>hunter2</ü:password><n>1</n>' },
    '&lt;n&gt;1',
  ],
  ['a password as a value of name and value', { requestBody: '[{"name":"password", "value":"hunter2"},{"n":1}]' }, '1'],
  ['a password of a named field', { requestBody: '<f name="password" value="hunter2"/><n>1</n>' }, '&lt;n&gt;1'],
  ['a password in a named field', { requestBody: '<f name="password">hunter2</f><n>1</n>' }, '&lt;n&gt;1'],
  ['a password in a form with brackets', { requestBody: 'user[password]=hunter2&n=1' }, 'n=1'],
  ['a password in a query with brackets', { target: '/x?user[password]=hunter2&y=1' }, 'y=1'],
  [
    'a password in a part without quotes',
    { requestBody: '--b\r\nContent-Disposition: form-data; name=password\r\n\r\nhunter2\r\n--b--' },
  ],
  [
    'an XML password with elements in it',
    { requestBody: '<a:password><value>hunter2</value></a:password><n>1</n>' },
    'n&gt;1',
  ],
  [
    'an XML password in one of the same name',
    { requestBody: '<password><password>x</password><passwordHint/>hunter2</password><n>1</n>' },
    'n&gt;1',
  ],
  ['a password in YAML', { requestBody: 'user: me\n- db_password: "hunter2"\nn: 1' }, 'n: 1'],
  ['a password in a block of YAML', { requestBody: 'a:\n  password: |\n    x\n\n    hunter2\n  n: 1' }, 'n: 1'],
  ['passwords in a list of YAML', { requestBody: 'passwords:\n- hunter2\n- hunter2\nn: 1' }, 'n: 1'],
  ['a password in YAML under a name in quotes', { requestBody: "'password': hunter2 hunter2\nn: 1" }, 'n: 1'],
  ['a password in YAML that begins like its name', { requestBody: 'password: password\n  hunter2\nn: 1' }, 'n: 1'],
  ['a pin in a form with brackets', { requestBody: 'user[pin]=hunter2&otp[]=hunter2&n=1' }, 'n=1'],
  ['an otp', { requestBody: '<otp>hunter2</otp>' }],
  ['a pin', { requestBody: '{"pin":"hunter2","pinned":"1"}' }, 'pinned&quot;:&quot;1'],
  ['a jwt', { target: '/x?jwt=hunter2&y=1' }, 'y=1'],
  ['a sid', { requestBody: 'sid=hunter2&siding=1' }, 'siding=1'],
  ['a session id', { requestBody: '{"session_id":"hunter2"}' }],
  ['a subscription key', { headers: { 'ocp-apim-subscription-key': 'hunter2' } }],
  ['an access key', { target: '/x?accessKey=hunter2' }],
  ['an auth', { requestBody: '{"auth":"hunter2","author":"1"}' }, 'author&quot;:&quot;1'],
  ['a pass', { requestBody: '{"pass":"hunter2","passenger":"1"}' }, 'passenger&quot;:&quot;1'],
  ['a password in JSON', { requestBody: '{"user":"me","newPassword":"a\\"hunter2","n":[1]}' }, '[1]'],
  ['a secret object in JSON', { responseBody: '{"client_secret":{"value":["hunter2"]},"n":1}' }, 'n&quot;:1'],
  ['a secret number in JSON', { responseBody: '{"token":4711,"n":1}'.replace('4711', 'hunter2') }],
  ['a password in a form', { requestBody: 'user=me&password=hunter2&n=1' }, 'n=1'],
  ['a password in UTF-16', { requestBody: Buffer.from('\ufeff<password>hunter2</password>', 'utf16le') }, 'password'],
  ['a password that is cut off', { requestBody: `<r>${'x'.repeat(65_500)}<password>hunter2hunter2` }],
  ['a token in a reason', { refusal: new Refusal('tokenRejected', `bad eyJhbGciOiJSUzI1NiJ9.hunter2.hunter2`) }],
  [
    'a database password in an error',
    { refusal: new Refusal('unexpected', 'x', { cause: new Error('postgres://me:hunter2@h/d') }) },
  ],
]
for (const [what, facts, kept] of secrets) {
  test(`8.7 no log has ${what}`, async () => {
    const observation = call(facts)
    for (const level of [3, 5]) {
      const { messageLog, errorLog, stdout } = await write(level, [observation])
      const all = messageLog + errorLog + stdout
      assert.doesNotMatch(all, /hunter2|aHVudGVyMg/)
      if (level === 5 && kept !== undefined) assert.ok(messageLog.includes(kept), `${kept} is missing`)
    }
  })
}

test("8.7 what a handler adds to its notes is redacted by its members' names", async () => {
  const detail = { user: 'me', password: 'hunter2', deep: { apiKey: 'hunter2' }, big: 1n }
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const { errorLog } = await write(2, [
    { kind: 'note', level: 'error', message: 'detailed', detail },
    { kind: 'note', level: 'error', message: 'circular', detail: circular },
  ])
  assert.doesNotMatch(errorLog, /hunter2/)
  assert.match(errorLog, /&quot;user&quot;: &quot;me&quot;/)
  assert.match(errorLog, /circular/)
})

test('8.57 the JSON log has the detail of a note as an object, masked by key', async () => {
  const detail = {
    user: 'm\u202ee',
    password: 'hunter2',
    deep: [{ apiKey: ['hunter2'], n: 1, url: 'https://u:hunter2@x/' }],
  }
  const note = { kind: 'note', level: 'error', message: 'detailed' } as const
  const { stdout } = await write(2, [
    { ...note, detail },
    { ...note, detail: { text: 'x'.repeat(20_000) } },
    { ...note, detail: [1, null, 'Bearer hunter2hunter2'] as never },
  ])
  assert.doesNotMatch(stdout, /hunter2|\u202e/)
  const [first, long, list] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).detail)
  const deep = [{ apiKey: '[redacted]', n: 1, url: 'https://u:[redacted]@x/' }]
  assert.deepEqual(first, { user: 'm\u202ee', password: '[redacted]', deep })
  assert.match(long.text, /^x+… \(20000 characters\)$/)
  assert.deepEqual(list, [1, null, 'Bearer [redacted]'])
})

test('8.7 redaction takes linear time for every text', async () => {
  const pieces = [
    'passwordpassword',
    '"\\"',
    '<password>',
    '{"token":',
    'passwd="',
    'name="password"\n',
    'name="a" ',
    'name=a\n',
    '"name":"token"',
    'password [',
    'a                    ',
    'ht://a:',
    'Basic ',
    '%70assword',
    '%',
  ]
  for (const piece of pieces) await write(5, [call({ requestBody: piece.repeat(65_536 / piece.length) })])
})

test('8.7 redacting a megabyte of hostile text ends, and finds the secret after it', () => {
  const pieces = ['password:\n ', '<password ', '<password>', '- - - a', ' ', 'pin=', '"otp":', '</password>', 'a:']
  const heads = ['', '<token>', 'content-disposition: ']
  const lines = [`${'name='.repeat(99)}\n`, `content-disposition: ${'name='.repeat(95)}\n`]
  for (const piece of [...pieces, 'token', ...lines]) {
    for (const head of heads) {
      const text = `${head}${piece.repeat(1_000_000 / piece.length)}\notp: hunter2`
      assert.doesNotMatch(redactText(text), /hunter2/, head + piece)
    }
  }
})

test('8.7 at level 5 the message log has whole messages, with the first 64 KiB of a long body', async () => {
  const facts = {
    headers: { accept: 'text/xml', 'content-length': '70000' },
    requestBody: 'x'.repeat(70_000),
    responseBody: '<response/>',
  }
  const { messageLog, stdout } = await write(5, [call(facts)])
  assert.match(
    messageLog,
    /<pre>GET \/PSIGW\/[^<]*\naccept: text\/xml\ncontent-length: 70000\n\nx{65536}\n… \(4464 more bytes\)<\/pre>/,
  )
  assert.match(messageLog, /<pre>200\ncontent-type: text\/xml\n\n&lt;response\/&gt;<\/pre>/)
  assert.doesNotMatch(stdout, /xxx/)
  assert.match((await write(5, [call({ responseBody: Buffer.from([1, 0, 2, 3]) })])).messageLog, /4 bytes, not text/)
})

test('8.5 an operation with log detail is logged with its headers, or its whole messages, from level 3 on', async () => {
  const facts = { headers: { accept: 'text/xml' }, requestBody: 'the request', responseBody: 'the response' }
  const header = (await write(3, [call({ ...facts, logDetail: 'header' })])).messageLog
  assert.match(header, /accept: text\/xml/)
  assert.doesNotMatch(header, /the request|the response/)
  const whole = (await write(3, [call({ ...facts, logDetail: 'headerAndDetail' })])).messageLog
  assert.match(whole, /the request[\s\S]*the response/)
})

test('28.8 the log names the trusted proxy of a call along with the caller', async () => {
  const observation = call()
  const arrived = { ...observation.call, remoteAddress: '192.0.2.7', proxy: '10.0.0.5' }
  const proxied: AnsweredCall = { ...observation, call: arrived }
  const { messageLog, stdout } = await write(4, [proxied])
  assert.match(stdout, /"remoteAddress":"192\.0\.2\.7","proxy":"10\.0\.0\.5"/)
  assert.match(messageLog, /from <b>192\.0\.2\.7<\/b>.*proxy <b>10\.0\.0\.5<\/b>/)
})

test('8.5 the structured log is one JSON object a line, with the facts of the call', async () => {
  const { stdout } = await write(4, [
    call({ refusal: new Refusal('permissionDenied', 'no list holds it') }),
    event('information', 'up'),
  ])
  const [first, second] = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { time, durationMs, ...facts } = first
  assert.ok(!Number.isNaN(Date.parse(time)) && durationMs >= 0)
  assert.deepEqual(facts, {
    level: 'warning',
    message: 'no list holds it',
    method: 'GET',
    url: '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/a',
    status: 500,
    refusal: 'permissionDenied',
    operation: 'ECHO_GET.v1',
    operator: 'DEMO',
    transactionId: '00000000-0000-4000-8000-000000000000',
    remoteAddress: '127.0.0.1',
  })
  assert.deepEqual([second.level, second.event, second.message], ['information', 'something', 'up'])
})

test('8.5 the text log shows a call in one line and the reason of a refusal below it', async () => {
  const options = { format: 'text', showsCalls: true } as const
  const { stdout } = await write(3, [call(), refused('permissionDenied')], options)
  assert.match(
    stdout,
    /^\d\d:\d\d:\d\d {2}200 {2}GET {4}ECHO\.v1\/echo\/a {2}DEMO {2}[\d.]+ ms\n.* {2}500 {2}GET .*permissionDenied.*\n +because of permissionDenied\n$/,
  )
})

/** A small HTML reader: enough to see an element that is never closed, or closed in the wrong place. */
function unclosedElements(page: string): readonly string[] {
  const open: string[] = []
  for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/g)) {
    if (['meta', 'br'].includes(name)) continue
    if (slash) assert.equal(open.pop(), name)
    else open.push(name)
  }
  return open
}
