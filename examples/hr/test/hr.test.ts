/** The project's tests: each operation, on SQLite, and on PostgreSQL where the variable HR_POSTGRES names one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import pg from 'pg'

const project = new URL('..', import.meta.url)
const postgres = process.env.HR_POSTGRES ?? process.env.IG_TEST_POSTGRES
const databases: Readonly<Record<string, string | undefined>> = { SQLite: undefined, PostgreSQL: postgres }
const ada = { emplid: '100001', name: 'Ada, Countess', department: 'MATH', hired: '2026-01-31', salary: '5200.50' }

/** Of the project's settings. */
const variables: Record<string, string> = postgres === undefined ? {} : { HR_BADGES_DATABASE: postgres }

/** Another HTTP service: it answers how often it was asked. */
let asked = 0
const rates = createServer((_request, response) => {
  asked += 1
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ asked }))
})
before(async () => {
  await once(rates.listen(0, '127.0.0.1'), 'listening')
  const address = rates.address()
  variables.HR_RATES_URL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/rates`
})
after(() => rates.close())

for (const [name, database] of Object.entries(databases)) {
  suite(`HR (${name})`, { skip: name === 'PostgreSQL' && !database && 'HR_POSTGRES is not set' }, () => {
    let gateway: TestGateway
    before(async () => {
      gateway = await openTestGateway({ project, variables, ...(database === undefined ? {} : { database }) })
      const hired = await gateway.call('POST EMPLOYEE.v1/', { as: 'CLERK', json: ada })
      assert.deepEqual([hired.status, hired.headers.location], [201, path('100001')])
      for (const [emplid, department] of [
        ['100002', 'MATH'],
        ['100003', 'ART & "CRAFT"'.slice(0, 10)],
      ])
        await gateway.call('POST EMPLOYEE.v1/', {
          as: 'CLERK',
          json: { ...ada, emplid, department, name: `No ${emplid}` },
        })
    })
    after(() => gateway.close())

    const path = (emplid: string) => `/PSIGW/RESTListeningConnector/LOCAL_NODE/EMPLOYEE.v1/${emplid}`
    const call = (line: string, options: Parameters<TestGateway['call']>[1] = {}) =>
      gateway.call(line, { as: 'CLERK', ...options })

    test('EMPLOYEE is JSON with the fields that the URL names, or 404', async () => {
      const { headers, ...one } = await call('GET EMPLOYEE.v1/100001')
      assert.deepEqual(one.json(), {
        EMPLID: '100001',
        NAME: 'Ada, Countess',
        DEPTID: 'MATH',
        EMAIL: null,
        HIRE_DT: '2026-01-31',
      })
      assert.match(headers.deprecation ?? '', /^@\d+$/)
      const some = await call('GET EMPLOYEE.v1/100001?fields=NAME&fields=DEPTID')
      assert.deepEqual(some.json(), { EMPLID: '100001', NAME: 'Ada, Countess', DEPTID: 'MATH' })
      const none = await call('GET EMPLOYEE.v1/999999')
      assert.deepEqual([none.status, none.json()], [404, { error: 'There is no employee 999999.' }])
      assert.equal((await call('GET EMPLOYEE.v1/12')).status, 400)
    })

    test('a hire is in both tables, or in none', async () => {
      const actions = await gateway.withDatabase((tables) =>
        tables.selectFrom('EMPLOYEE_ACTION').select(['EMPLID', 'OPRID']).orderBy('ACTION_NBR').execute(),
      )
      assert.deepEqual(actions[0], { EMPLID: '100001', OPRID: 'CLERK' })
      const again = await call('POST EMPLOYEE.v1/', { json: ada })
      assert.deepEqual([again.status, again.json()], [409, { error: 'Employee 100001 exists already.' }])
      const wrong = await call('POST EMPLOYEE.v1/', { json: { ...ada, emplid: '1', salary: 'much' } })
      assert.deepEqual([wrong.status, wrong.refusal?.code], [422, 'bodyInvalid'])
    })

    test('EMPLOYEES has pages, a filter and a total', async () => {
      const first = (await call('GET EMPLOYEES.v1/?limit=2')).json()
      assert.deepEqual([first.total, first.next, first.employees.length], [3, '100002', 2])
      const second = (await call(`GET EMPLOYEES.v1/?limit=2&after=${first.next}`)).json()
      assert.deepEqual(second, { total: 3, employees: [{ EMPLID: '100003', NAME: 'No 100003', DEPTID: 'ART & "CRA' }] })
      const mathematics = (await call('GET EMPLOYEES.v1/?department=MATH&department=NONE')).json()
      assert.equal(mathematics.total, 2)
    })

    test('EMPLOYEE_EXPORT is JSON or CSV', async () => {
      const list = (await call('GET EMPLOYEE_EXPORT.v1/')).json()
      assert.deepEqual(list[0], { EMPLID: '100001', NAME: 'Ada, Countess', DEPTID: 'MATH', HIRE_DT: '2026-01-31' })
      const csv = await call('GET EMPLOYEE_EXPORT.v1/', { headers: { accept: 'text/csv' } })
      assert.equal(csv.headers['content-type'], 'text/csv; charset=UTF-8')
      assert.match(csv.text, /^EMPLID,NAME,DEPTID,HIRE_DT\r\n100001,"Ada, Countess",MATH,2026-01-31\r\n/)
      assert.match(csv.text, /"ART & ""CRA"/)
    })

    test('PHOTO keeps bytes, and answers conditional and range requests', async () => {
      const photo = Buffer.alloc(5_000_000, 'photo')
      const put = await call('PUT PHOTO.v1/100001', { headers: { 'content-type': 'image/png' }, body: photo })
      assert.equal(put.status, 204)
      const whole = await call('GET PHOTO.v1/100001')
      assert.deepEqual(
        [whole.status, whole.headers['content-type'], whole.bytes.equals(photo)],
        [200, 'image/png', true],
      )
      const { etag = '' } = whole.headers
      assert.equal((await call('GET PHOTO.v1/100001', { headers: { 'if-none-match': etag } })).status, 304)
      const part = await call('GET PHOTO.v1/100001', { headers: { range: 'bytes=5-9' } })
      assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, 'photo', 'bytes 5-9/5000000'])
      assert.equal(
        (await call('PUT PHOTO.v1/100001', { headers: { 'content-type': 'text/html' }, body: 'x' })).status,
        415,
      )
      assert.equal((await call('GET PHOTO.v1/100002')).status, 404)
    })

    test('HEADCOUNT is XML with a namespace, attributes and CDATA', async () => {
      const { text } = await call('GET HEADCOUNT.v1/')
      assert.match(text, /<hr:title><!\[CDATA\[Employees & departments\]\]><\/hr:title>/)
      assert.match(text, /<hr:department id="MATH">2<\/hr:department>/)
    })

    test('HIRE reads a SOAP-like request, whatever its prefixes are called', async () => {
      const hire = (emplid: string) => `<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Body>
        <Hire xmlns="urn:example:hr" emplid="${emplid}"><Name>Eve</Name><Department>ART</Department>
        <Hired>2026-02-01</Hired><Salary>10</Salary></Hire></env:Body></env:Envelope>`
      const answer = await call('POST HIRE.v1/', { body: hire('100009') })
      assert.equal(answer.xml().root.attributes.emplid, '100009')
      assert.equal((await call('GET EMPLOYEE.v1/100009?fields=NAME')).json().NAME, 'Eve')
      for (const wrong of ['<Envelope/>', hire('1'), hire('100008').replace('2026-02-01', '2026-02-30')])
        assert.equal((await call('POST HIRE.v1/', { body: wrong })).refusal?.code, 'bodyMalformed')
      await gateway.withDatabase((tables) =>
        tables.deleteFrom('EMPLOYEE_ACTION').where('EMPLID', '=', '100009').execute(),
      )
      await gateway.withDatabase((tables) => tables.deleteFrom('EMPLOYEE').where('EMPLID', '=', '100009').execute())
    })

    test('RATES asks another service once for each operator, until they are dropped', async () => {
      const ratesOf = async (operator: string) => (await call('GET RATES.v1/', { as: operator })).json().asked
      const first = await ratesOf('CLERK')
      assert.deepEqual([await ratesOf('CLERK'), await ratesOf('PAYROLL')], [first, first + 1])
      assert.equal((await call('DELETE RATES.v1/')).status, 204)
      assert.deepEqual([await ratesOf('CLERK'), await ratesOf('PAYROLL')], [first + 2, first + 1])
    })

    test('BADGE and the job CHECK_BADGES look badges up in a foreign database', { skip: !postgres }, async () => {
      const badges = new pg.Client({ connectionString: postgres })
      await badges.connect()
      try {
        await badges.query('create table if not exists badges (emplid text primary key, badge text)')
        await badges.query(
          "insert into badges values ('100001', 'B-7'), ('100002', 'withdrawn') on conflict do nothing",
        )
        assert.deepEqual((await call('GET BADGE.v1/100001')).json(), { emplid: '100001', badge: 'B-7' })
        assert.equal((await call('GET BADGE.v1/100003')).status, 404)
        const run = await gateway.runJob('CHECK_BADGES')
        assert.deepEqual(
          [run.outcome, run.log.filter(({ level }) => level === 'information').map(({ message }) => message)],
          ['succeeded', ['deactivated']],
        )
        assert.equal((await call('GET EMPLOYEE.v2/100002')).json().active, false)
        assert.equal(gateway.metric('deactivated_total'), 1)
      } finally {
        await badges.query('drop table badges')
        await badges.end()
      }
    })

    test('EMPLOYEE v2 shows the salary to payroll, the own row to its operator, and XML where asked', async () => {
      await gateway.withDatabase((tables) =>
        tables.updateTable('EMPLOYEE').set({ OPRID: 'ADA' }).where('EMPLID', '=', '100001').execute(),
      )
      const as = async (operator: string, emplid: string) => {
        const { status, ...answer } = await call(`GET EMPLOYEE.v2/${emplid}`, { as: operator })
        return status === 200 ? answer.json() : status
      }
      const shown = { emplid: '100001', name: 'Ada, Countess', active: true }
      assert.deepEqual(await as('CLERK', '100001'), shown)
      assert.deepEqual(await as('PAYROLL', '100001'), { ...shown, salary: '5200.5' })
      assert.deepEqual(await as('ADA', '100001'), shown)
      assert.equal(await as('ADA', '100002'), 404)
      const xml = await call('GET EMPLOYEE.v2/100001', { headers: { accept: 'application/xml' } })
      assert.equal(xml.xml().root.child('name')?.text, 'Ada, Countess')
    })
  })
}
