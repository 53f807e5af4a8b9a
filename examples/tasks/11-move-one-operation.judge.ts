/** Judges the project that it is copied into: 11-move-one-operation.md. Port 8001 must be free. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [{ id: 'KIM', permissionLists: ['HR_ALL'] }, { id: 'RAY' }]
const base = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

async function open() {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators })
  await gateway.withDatabase((database) =>
    database.insertInto('JOBS').values({ EMPLID: 'A1', TITLE: 'Engineer' }).execute(),
  )
  const asked: { line: string; authorization: string | undefined }[] = []
  const old = createServer(({ method, url, headers }, response) => {
    asked.push({ line: `${method} ${url}`, authorization: headers.authorization })
    response.writeHead(203, { 'content-type': 'application/json' }).end('{"from":"the old system"}')
  })
  await once(old.listen(8001, '127.0.0.1'), 'listening')
  const endOld = () => {
    old.close()
    old.closeAllConnections()
  }
  const close = async () => {
    await gateway.close()
    endOld()
  }
  const call = (line: string, as = 'KIM') => gateway.call(line, { as })
  return { gateway, asked, call, endOld, [Symbol.asyncDispose]: close }
}

test('JOB is answered here', async () => {
  await using judged = await open()
  const { asked, call } = judged
  const job = await call('GET JOB.v1/A1')
  assert.deepEqual([job.status, job.json()], [200, { emplid: 'A1', title: 'Engineer' }])
  assert.equal((await call('GET JOB.v1/A2')).status, 404)
  assert.deepEqual(asked, [])
})

test('TITLE and everything else is answered by the old system, which gets no password', async () => {
  await using judged = await open()
  const { asked, call, endOld } = judged
  for (const line of ['GET TITLE.v1/A1', 'GET PAY.v1/A1?year=2026', 'DELETE NOTE.v2/7']) {
    const answer = await call(line)
    assert.deepEqual([answer.status, answer.text], [203, '{"from":"the old system"}'], line)
    const [method, path] = line.split(' ')
    assert.deepEqual(asked.pop(), { line: `${method} ${base}/${path}`, authorization: undefined })
  }
  endOld()
  assert.equal((await call('GET TITLE.v1/A1')).status, 502)
  assert.equal((await call('GET JOB.v1/A1')).status, 200)
})

test('without HR_ALL nothing is answered, and the old system is not called', async () => {
  await using judged = await open()
  const { gateway, asked, call } = judged
  for (const line of ['GET JOB.v1/A1', 'GET TITLE.v1/A1', 'GET PAY.v1/A1']) {
    assert.equal((await call(line, 'RAY')).refusal?.code, 'permissionDenied', line)
    assert.equal((await gateway.call(line)).status, 401, line)
  }
  assert.deepEqual(asked, [])
})
