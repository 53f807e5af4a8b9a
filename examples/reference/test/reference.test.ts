/** The project's own tests: every operation, called as its operators call it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { formatDateTime } from 'integration-gateway'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'

const project = new URL('..', import.meta.url)
let gateway: TestGateway

before(async () => {
  gateway = await openTestGateway({ project })
})
after(() => gateway.close())

for (const [operation, operator, ran] of [
  ['METADATA', undefined, 'GUEST'],
  ['METADATA', 'DEMO', 'DEMO'],
  ['METADATA_BASIC', 'DEMO', 'DEMO'],
  ['METADATA_OAUTH2', 'DEMO', 'DEMO'],
] as const) {
  test(`${operation} tells ${operator ?? 'a caller without credentials'} who is calling`, async () => {
    const answer = await gateway.call(`GET ${operation}.v1/`, operator ? { as: operator } : {})
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'application/json; encoding=UTF-8')
    assert.equal(answer.json().currentUser, ran)
    assert.equal(answer.json().platformTransactionId, answer.transactionId)
    assert.equal(answer.json().responseDTTM, 'Thu, 01 Jan 2026 12:00:00 GMT')
  })
}

test('an operator without permission is refused, and the log knows why', async () => {
  const answer = await gateway.call('GET METADATA_BASIC.v1/', { as: 'NOPERM' })
  assert.match(answer.text, /User Id: NOPERM is not authorized for the operation METADATA_BASIC_GET\./)
  assert.equal(answer.refusal?.code, 'permissionDenied')
  const locked = await gateway.call('GET METADATA_OAUTH2.v1/', { as: 'LOCKED' })
  assert.equal(locked.status, 401)
  assert.match(locked.refusal?.reason ?? '', /Invalid Access Token.*locked/)
})

test('ECHO sends a value of the path or of the query back', async () => {
  for (const path of ['echo/a%20b', 'echo/?value-to-echo=a+b', 'echo?value-to-echo=a%20b']) {
    const answer = await gateway.call(`GET ECHO.v1/${path}`)
    assert.equal(answer.text, '<?xml version="1.0"?><response><parameter1>a b</parameter1></response>')
  }
})

test('KEY_VALUE stages rows, and reads, replaces and removes them', async () => {
  const body = '<request><row><key>a</key><value>1</value></row><row><KEY>a</KEY><Value>2</Value></row></request>'
  const posted = await gateway.call('POST KEY_VALUE.v1/', { as: 'DEMO', body })
  const meta = posted.xml().root.child('META')
  assert.equal(meta?.child('OPRID')?.text, 'DEMO')
  assert.equal(meta?.child('CURRENT_TIME')?.text, formatDateTime(gateway.now()))

  const rows = await gateway.withDatabase((database) =>
    database.selectFrom('C_KEY_VALUE').select(['IBTRANSACTIONID', 'KEY1', 'LONGVALUE']).orderBy('ROW_NBR').execute(),
  )
  assert.deepEqual(rows, [
    { IBTRANSACTIONID: posted.transactionId, KEY1: 'a', LONGVALUE: '1' },
    { IBTRANSACTIONID: posted.transactionId, KEY1: 'a', LONGVALUE: '2' },
  ])

  const values = async (path: string) => {
    const answer = await gateway.call(`GET KEY_VALUE.v1/${path}`, { as: 'DEMO2' })
    return answer
      .xml()
      .root.elements('row')
      .map((row) => row.child('LONGVALUE')?.text)
  }
  assert.deepEqual(await values(`a?transaction=${posted.transactionId}`), ['1', '2'])
  assert.deepEqual(await values('a?transaction=another'), [])
  await gateway.call('PUT KEY_VALUE.v1/a', { as: 'DEMO', body: '<request><row><value>3</value></row></request>' })
  assert.deepEqual(await values('a'), ['3'])
  const removed = await gateway.call('DELETE KEY_VALUE.v1/a', { as: 'DEMO' })
  assert.equal(removed.xml().root.child('META')?.child('ROWS')?.text, '1')
  assert.deepEqual(await values('a'), [])
})

test('KEY_VALUE stores no row of a request that it refuses', async () => {
  const body = `<request><row><key>kept?</key></row><row><key>${'x'.repeat(255)}</key></row></request>`
  const answer = await gateway.call('POST KEY_VALUE.v1/', { as: 'DEMO', body })
  assert.equal(answer.status, 400)
  assert.equal(answer.refusal?.reason, 'its key has more than 254 characters')
  const found = await gateway.call('GET KEY_VALUE.v1/kept%3F', { as: 'DEMO' })
  assert.deepEqual(found.xml().root.elements(), [])
})

test('CACHED_TIME is cached for two minutes, for all callers', async () => {
  const call = async (as: string) => {
    const answer = await gateway.call('GET CACHED_TIME.v1/', { as })
    return { isCached: answer.isCached, user: answer.xml().root.child('current-user')?.text }
  }
  assert.deepEqual(await call('DEMO'), { isCached: false, user: 'DEMO' })
  gateway.advance(119_999)
  assert.deepEqual(await call('DEMO2'), { isCached: true, user: 'DEMO' })
  gateway.advance(1)
  assert.deepEqual(await call('DEMO2'), { isCached: false, user: 'DEMO2' })
})
