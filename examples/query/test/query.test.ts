/** Both projects, called with the bytes that public clients of the service send: see the README. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'

const service = '/PSIGW/RESTListeningConnector/PSFT_HR/ExecuteQuery.v1'
let standIn: TestGateway
let passedOn: TestGateway

before(async () => {
  standIn = await openTestGateway({ project: new URL('../stand-in/', import.meta.url), listen: true })
  const [, QUERY_PASSWORD = ''] = Buffer.from((await standIn.basicCredentials('CLERK')).slice(6), 'base64')
    .toString()
    .split(':')
  const variables = { QUERY_ORIGINAL: standIn.url + service, QUERY_USER: 'CLERK', QUERY_PASSWORD }
  passedOn = await openTestGateway({ project: new URL('../passed-on/', import.meta.url), listen: true, variables })
})
after(async () => {
  await passedOn.close()
  await standIn.close()
})

/** Exactly these bytes, over a socket. */
async function send(gateway: TestGateway, target: string, headers: readonly string[] = []) {
  const { hostname, port, host } = new URL(gateway.url)
  const authorization = `Authorization: ${await gateway.basicCredentials('CLERK')}`
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(
    [`GET ${service}${target} HTTP/1.1`, `Host: ${host}`, authorization, ...headers, 'Connection: close', '', ''].join(
      '\r\n',
    ),
  )
  const [head = '', body = ''] = (await text(socket)).split(/\r\n\r\n(.*)/s)
  return { status: Number(head.slice(9, 12)), type: /^content-type: (.*)$/im.exec(head)?.[1], body }
}

const envelope =
  '<?xml version="1.0"?><QAS_GETQUERYRESULTS_RESP_MSG xmlns="http://xmlns.oracle.com/Enterprise/Tools/schemas/QAS_GETQUERYRESULTS_RESP_MSG.VERSION_2">'
const end = '</QAS_GETQUERYRESULTS_RESP_MSG>'
const json = (...rows: readonly object[]) => {
  const numbered = rows.map((row, at) => ({ 'attr:rownumber': at + 1, ...row }))
  return JSON.stringify({
    status: 'success',
    data: { query: { numrows: rows.length, 'queryname=': 'EMPLOYEES', rows: numbered } },
  })
}

interface Client {
  readonly title: string
  readonly target: string
  readonly headers: readonly string[]
  readonly type: string
  readonly body: string
}

const xml = 'text/xml; encoding="UTF-8"'
const clients: readonly Client[] = [
  {
    title: 'Python, requests, a URL with raw commas and an empty last value',
    target:
      '/public/EMPLOYEES/XMLP/NONFILE?isconnectedquery=N&maxrows=10&prompt_uniquepromptname=DEPTID,EMPLID&prompt_fieldvalue=ART,',
    headers: ['User-Agent: python-requests/2.32.3', 'Accept-Encoding: identity', 'Accept: */*'],
    type: xml,
    body: `${envelope}<query xmlns="http://xmlns.oracle.com/Enterprise/Tools/schemas/QAS_QUERYRESULTS_XMLP_RESP.VERSION_1" numrows="1" queryname="EMPLOYEES"><row rownumber="1"><A.EMPLID><![CDATA[100002]]></A.EMPLID><A.NAME><![CDATA[Eve <eve@example.com>]]></A.NAME><B.DEPTID><![CDATA[ART]]></B.DEPTID><A.GRADE>5</A.GRADE></row></query>${end}`,
  },
  {
    title: 'Python, requests, params as a dictionary: commas as %2C',
    target:
      '/PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=N&maxrows=5&prompt_uniquepromptname=DEPTID%2CEMPLID&prompt_fieldvalue=ART%2C100002&json_resp=true',
    headers: ['User-Agent: python-requests/2.32.3', 'Accept: application/xml', 'Content-Type: application/xml'],
    type: 'application/json',
    body: json({ 'A.EMPLID': '100002', 'A.NAME': 'Eve <eve@example.com>', 'B.DEPTID': 'ART', 'A.GRADE': 5 }),
  },
  {
    title: 'TypeScript, axios: small n, all prompts empty, filterfields',
    target:
      '/PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=n&maxrows=1000&prompt_uniquepromptname=DEPTID,EMPLID&prompt_fieldvalue=,&filterfields=A.EMPLID,B.DEPTID&json_resp=true',
    headers: ['Accept: application/json, text/plain, */*', 'User-Agent: axios/1.6.2'],
    type: 'application/json',
    body: json(
      { 'A.EMPLID': '100001', 'B.DEPTID': 'MATH' },
      { 'A.EMPLID': '100002', 'B.DEPTID': 'ART' },
      { 'A.EMPLID': '100003', 'B.DEPTID': 'MATH' },
    ),
  },
  {
    title: 'PHP, curl: a row set, one prompt, filterfields at the end',
    target:
      '/public/EMPLOYEES/WEBROWSET/NONFILE?isconnectedquery=N&maxrows=1&prompt_uniquepromptname=EMPLID&prompt_fieldvalue=100001&filterfields=A.NAME',
    headers: ['Accept: */*'],
    type: xml,
    body: `${envelope}<webRowSet xmlns="http://java.sun.com/xml/ns/jdbc"><metadata><column-count>1</column-count><column-definition><column-index>1</column-index><column-name>A.NAME</column-name></column-definition></metadata><data><currentRow><columnValue>Ada &amp; Co.</columnValue></currentRow></data></webRowSet>${end}`,
  },
  {
    title: 'Postman: an unused parameter for connected queries',
    target:
      '/PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=N&maxrows=1&prompt_psqueryname=&prompt_uniquepromptname=DEPTID&prompt_fieldvalue=MATH&filterfields=A.EMPLID&json_resp=true',
    headers: ['User-Agent: PostmanRuntime/7.34.0', 'Accept: */*', 'Cache-Control: no-cache'],
    type: 'application/json',
    body: json({ 'A.EMPLID': '100001' }),
  },
  {
    title: 'a client that leaves every list empty and writes TRUE',
    target:
      '/PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=&maxrows=1&prompt_uniquepromptname=&prompt_fieldvalue=&json_resp=TRUE&filterfields=',
    headers: [],
    type: 'application/json',
    body: json({ 'A.EMPLID': '100001', 'A.NAME': 'Ada & Co.', 'B.DEPTID': 'MATH', 'A.GRADE': 7 }),
  },
  {
    title: 'a client that repeats the parameters of prompts',
    target:
      '/PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=N&maxrows=9&prompt_uniquepromptname=DEPTID&prompt_uniquepromptname=EMPLID&prompt_fieldvalue=MATH&prompt_fieldvalue=100003&filterfields=A.NAME',
    headers: [],
    type: 'application/json',
    body: json({ 'A.NAME': 'Zoë' }),
  },
]
for (const { title, target, headers, type, body } of clients)
  test(`the stand-in and the original behind the gateway answer alike: ${title}`, async () => {
    const expected = { status: 200, type, body }
    assert.deepEqual(await send(standIn, target, headers), expected)
    assert.deepEqual(await send(passedOn, target, headers), expected)
  })

test('the stand-in says what it cannot answer', async () => {
  const ask = async (line: string) => {
    const { status, text } = await standIn.call(`GET ExecuteQuery.v1/${line}`, { as: 'CLERK' })
    return [status, text]
  }
  assert.deepEqual(await ask('PUBLIC/NONE/JSON/NONFILE?isconnectedquery=N'), [
    404,
    '{"status":"error","message":"There is no public query NONE."}',
  ])
  assert.deepEqual(await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?prompt_uniquepromptname=X&prompt_fieldvalue='), [
    400,
    '{"status":"error","message":"The query has no prompt X."}',
  ])
  assert.deepEqual(await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?prompt_uniquepromptname=DEPTID'), [
    400,
    '{"status":"error","message":"The numbers of prompts (1) and values (0) differ."}',
  ])
  assert.equal((await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?prompt_uniquepromptname='))[0], 200)
  assert.equal((await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?json_resp=yes'))[0], 400)
  assert.equal((await ask('PUBLIC/MY_LIST/JSON/NONFILE'))[0], 404)
  assert.equal((await ask('private/MY_LIST/JSON/NONFILE'))[0], 200)
  assert.equal((await ask('PUBLIC/EMPLOYEES/TXT/FILE'))[0], 400)
  assert.equal((await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?isconnectedquery=Y'))[0], 400)
  assert.match(String((await ask('PUBLIC/EMPLOYEES/JSON/NONFILE?maxrows=0'))[1]), /"numrows":3/)
})

test('a response of the original is kept for a minute, for each operator', async () => {
  const line =
    'GET ExecuteQuery.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE?maxrows=2&prompt_uniquepromptname=BIND1&prompt_fieldvalue='
  const ask = async (as: string) => (await passedOn.call(line, { as })).isCached
  assert.deepEqual([await ask('CLERK'), await ask('CLERK'), await ask('KIM')], [false, true, false])
  passedOn.advance(60_000)
  assert.equal(await ask('CLERK'), false)
})

test('only some queries pass, with a number of rows, and at a limited rate', async () => {
  const ask = (line: string) => passedOn.call(`GET ExecuteQuery.v1/PUBLIC/${line}`, { as: 'KIM' })
  for (const line of ['MY_LIST/JSON/NONFILE?maxrows=1', 'EMPLOYEES/JSON/NONFILE?maxrows=0', 'EMPLOYEES/JSON/NONFILE'])
    assert.equal((await ask(line)).refusal?.code, 'uriValueInvalid', line)
  const wrong = await ask('EMPLOYEES/JSON/NONFILE?maxrows=1&prompt_uniquepromptname=X&prompt_fieldvalue=')
  assert.deepEqual([wrong.status, wrong.json().message], [400, 'The query has no prompt X.'])
  let last = wrong
  for (let call = 0; call < 11; call += 1) last = await ask('EMPLOYEES/JSON/NONFILE?maxrows=1')
  assert.deepEqual([last.status, last.refusal?.code], [429, 'rateLimited'])
})
