/** The reference operations over real sockets, on both databases (specification 1, 3, 4, 5, 9, 10). */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, suite, test } from 'node:test'
import type { RequestMessage } from '../../src/model/content/message.ts'
import type { Handler, HandlerContext } from '../../src/model/handler.ts'
import { type Answer, basic, bearer } from '../support/client.ts'
import { forEachDatabase } from '../support/databases.ts'
import { openReference, root, type WireGateway } from '../support/gateway.ts'
import { poll } from '../support/poll.ts'
import { openRawSocket, sendRaw } from '../support/raw-socket.ts'

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const dateTime = /^\d{4}-\d\d-\d\d-\d\d\.\d\d\.\d\d\.\d{6}$/
const xmlType = 'text/xml; encoding="UTF-8"'
const page = (text: string) => `<HTML><HEAD><TITLE>RESTListeningConnector</TITLE></HEAD><BODY>${text}</BODY></HTML>`
const echoed = (value: string) =>
  `<?xml version="1.0"?><response>${value ? `<parameter1>${value}</parameter1>` : '<parameter1/>'}</response>`

class Index implements Handler {
  onRequest(request: RequestMessage, { broker, operator }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    const { uriResourceIndex, operationName, operationVersion } = request
    const values = request.getUriDocument()
    response.setContentString(
      JSON.stringify({ uriResourceIndex, operationName, operationVersion, values, as: operator.id }),
    )
    return response
  }
}

const echoTexts: readonly { readonly title: string; readonly line: string; readonly value: string }[] = [
  { title: '1.13, 9.12 a value in the path', line: 'ECHO.v1/echo/v', value: 'v' },
  { title: '1.12, 1.13 a trailing slash is not part of the value', line: 'ECHO.v1/echo/v/', value: 'v' },
  { title: '1.13 an empty value in the path', line: 'ECHO.v1/echo/', value: '' },
  { title: '1.13, 9.12 a value in the query', line: 'ECHO.v1/echo/?value-to-echo=v', value: 'v' },
  { title: '1.13, 9.12 a value in the query, no slash after echo', line: 'ECHO.v1/echo?value-to-echo=v', value: 'v' },
  { title: '1.6, 2.17 %20 becomes a space', line: 'ECHO.v1/echo/a%20b', value: 'a b' },
  { title: '1.6 %2F is data', line: 'ECHO.v1/echo/a%2Fb', value: 'a/b' },
  { title: '1.6 .. is an ordinary segment', line: 'ECHO.v1/echo/..', value: '..' },
  { title: '1.6 %2e%2e is an ordinary segment', line: 'ECHO.v1/echo/%2e%2e', value: '..' },
  { title: '2.23 + in a path is +', line: 'ECHO.v1/echo/a+b', value: 'a+b' },
  { title: '2.23 + in a query is a space', line: 'ECHO.v1/echo/?value-to-echo=a+b%2B', value: 'a b+' },
  { title: '2.22 other parameters do not matter', line: 'ECHO.v1/echo/?x=1&value-to-echo=v&random=0.7', value: 'v' },
  { title: '2.23 of a repeated name the first', line: 'ECHO.v1/echo/?value-to-echo=1&value-to-echo=2', value: '1' },
  { title: '2.18 the query template is the more specific', line: 'ECHO.v1/echo/?value-to-echo=', value: '' },
  { title: '1.7, 9.12 a value of many scripts', line: 'ECHO.v1/echo/%C3%A9%E2%82%AC%F0%9F%98%80', value: 'é€😀' },
  { title: '7.7, 9.12 markup in a value is escaped', line: 'ECHO.v1/echo/%3Ca%3E%26%22', value: '&lt;a&gt;&amp;"' },
]

const refusals: readonly {
  readonly title: string
  readonly line: string
  readonly status: number
  readonly code: string
}[] = [
  { title: '1.13 echo alone matches nothing', line: 'GET ECHO.v1/echo', status: 404, code: 'uriNotMatched' },
  { title: '2.24 no template matches', line: 'GET METADATA.v1/x', status: 404, code: 'uriNotMatched' },
  { title: '1.7 invalid percent-encoding', line: 'GET ECHO.v1/echo/%zz', status: 400, code: 'uriMalformed' },
  { title: '1.7 a cut-off escape', line: 'GET ECHO.v1/echo/%e', status: 400, code: 'uriMalformed' },
  { title: '1.7 overlong UTF-8', line: 'GET ECHO.v1/echo/%c0%af', status: 400, code: 'uriMalformed' },
  { title: '1.7 a NUL', line: 'GET ECHO.v1/echo/a%00b', status: 400, code: 'uriMalformed' },
  {
    title: '1.7 a NUL in a query name',
    line: 'GET ECHO.v1/echo/?a%00=1&value-to-echo=v',
    status: 400,
    code: 'uriMalformed',
  },
  {
    title: '1.2 a connector in another letter case',
    line: 'GET /PSIGW/RestListeningConnector/LOCAL_NODE/ECHO.v1/echo/v',
    status: 404,
    code: 'pathUnknown',
  },
  {
    title: '1.2 a gateway path in another letter case',
    line: 'GET /psigw/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/v',
    status: 404,
    code: 'pathUnknown',
  },
  { title: '1.2 a literal in another letter case', line: 'GET ECHO.v1/Echo/v', status: 404, code: 'uriNotMatched' },
  { title: '1.10 the root', line: 'GET /', status: 404, code: 'pathUnknown' },
  {
    title: '1.10 no operation segment',
    line: 'GET /PSIGW/RESTListeningConnector/LOCAL_NODE',
    status: 404,
    code: 'pathUnknown',
  },
  {
    title: '1.6 an encoded slash joins nothing',
    line: 'GET /PSIGW/RESTListeningConnector%2FLOCAL_NODE/ECHO.v1/echo/v',
    status: 404,
    code: 'pathUnknown',
  },
]

const unknownNodes: readonly { readonly title: string; readonly line: string }[] = [
  {
    title: '1.9, 4.9 an unknown node',
    line: 'GET /PSIGW/RESTListeningConnector/NOWHERE/ECHO.v1/echo/v',
  },
  {
    title: '1.2 a node in another letter case',
    line: 'GET /PSIGW/RESTListeningConnector/local_node/ECHO.v1/echo/v',
  },
  {
    title: '1.5, 1.10 a doubled slash before the node',
    line: 'GET /PSIGW/RESTListeningConnector//LOCAL_NODE/ECHO.v1/echo/v',
  },
]

const notFound: readonly { readonly title: string; readonly line: string; readonly service: string }[] = [
  { title: '1.4 a method without an operation', line: 'POST METADATA.v1/', service: 'METADATA.v1' },
  { title: '1.4 a method that no operation can have', line: 'PROPFIND METADATA.v1/', service: 'METADATA.v1' },
  { title: '2.3 HEAD without an operation', line: 'GET NOPE.v1/', service: 'NOPE.v1' },
  { title: '2.4 OPTIONS if nothing allows it', line: 'OPTIONS METADATA.v1/', service: 'METADATA.v1' },
  { title: '1.2 an operation in another letter case', line: 'GET metadata.v1/', service: 'metadata.v1' },
  { title: '1.2 an unknown version with a capital V', line: 'GET METADATA.V9/', service: 'METADATA.V9' },
  { title: '1.10 a segment without version', line: 'GET METADATA/', service: 'METADATA' },
  { title: '1.10 a version that is not a number', line: 'GET METADATA.vx/', service: 'METADATA.vx' },
  { title: '10.1 another version', line: 'GET METADATA.v3/', service: 'METADATA.v3' },
  { title: '2.7 a name that has an alias', line: 'GET ALIASED.v1/', service: 'ALIASED.v1' },
  { title: '2.8 an inactive operation', line: 'GET Asleep.v1/', service: 'Asleep.v1' },
  {
    title: '4.5, 4.6 markup in the segment is escaped',
    line: 'GET %3Cb%3E%26%22.v1/',
    service: '&lt;b&gt;&amp;&quot;.v1',
  },
]

forEachDatabase((database) => {
  suite(`Reference operations (${database.name})`, () => {
    let gateway: WireGateway
    let rows = 0

    before(async () => {
      gateway = await openReference({
        database,
        withIssuer: true,
        handlers: { 'handlers/index.ts': Index },
        configure: (configuration) => {
          const [model] = configuration.operations.filter(({ name }) => name === 'METADATA')
          const [echo] = configuration.operations.filter(({ name }) => name === 'ECHO')
          assert(model && echo)
          const own = { ...model, handler: 'handlers/index.ts' }
          const operations = [
            ...configuration.operations,
            { ...own, name: 'ALIASED', alias: 'aliased-Name' },
            { ...own, name: 'ASLEEP', alias: 'Asleep', isActive: false },
            { ...own, name: 'METADATA', version: 'v2' },
            { ...own, name: 'METADATA', version: 'v10' },
            { ...echo, name: 'INDEX', alias: 'INDEX', handler: 'handlers/index.ts' },
          ]
          const [list, ...others] = configuration.permissionLists
          assert(list)
          const more = ['ALIASED_GET.v1', 'ASLEEP_GET.v1', 'METADATA_GET.v2', 'METADATA_GET.v10', 'INDEX_GET.v1']
          const permissionLists = [list, ...others].map((one) => ({ ...one, operations: [...one.operations, ...more] }))
          return { ...configuration, operations, permissionLists }
        },
      })
    })
    after(() => gateway.close())

    const asDemo = basic('DEMO')
    const post = (body: string | Buffer) => gateway.call('POST KEY_VALUE.v1/', { headers: asDemo, body })
    const read = async (key: string) => (await gateway.call(`GET KEY_VALUE.v1/${key}`, { headers: asDemo })).text
    const requireRefusal = (answer: Answer, status: number, code: string) => {
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.headers['ig-refusal'], code)
      assert.equal(answer.headers['content-type'], 'application/problem+json')
      const problem = JSON.parse(answer.text)
      assert.deepEqual(Object.keys(problem), ['type', 'title', 'status', 'detail', 'code', 'transactionId'])
      assert.deepEqual([problem.type, problem.status, problem.code], ['about:blank', status, code])
      assert.equal(problem.transactionId, answer.headers['ig-transaction-id'])
    }

    for (const { title, line, value } of echoTexts) {
      test(`${title} (${database.name})`, async () => {
        const answer = await gateway.call(`GET ${line}`)
        assert.equal(answer.status, 200, answer.text)
        assert.equal(answer.headers['content-type'], xmlType)
        assert.equal(answer.text, echoed(value))
      })
    }

    for (const { title, line, status, code } of refusals) {
      test(`${title} (${database.name})`, async () => requireRefusal(await gateway.call(line), status, code))
    }

    for (const { title, line } of unknownNodes) {
      test(`${title} (${database.name})`, async () => {
        const answer = await gateway.call(line)
        assert.equal(answer.status, 500)
        assert.equal(answer.headers['content-type'], 'text/html; charset=UTF-8')
        assert.equal(answer.headers['ig-refusal'], 'nodeUnknown')
        assert.equal(answer.text, page('The node in the URL is not known. (158,505)'))
      })
    }

    for (const { title, line, service } of notFound) {
      test(`${title} (${database.name})`, async () => {
        const answer = await gateway.call(line)
        assert.equal(answer.status, 200)
        assert.equal(answer.headers['content-type'], 'text/html; charset=UTF-8')
        assert.equal(answer.headers['ig-refusal'], 'operationNotFound')
        assert.equal(answer.text, page(`Service Version Method for ${service} was not found.`))
      })
    }

    test('1.1, 1.11, 1.12, 9.2, 8.4 METADATA is served at its URL, with and without trailing slashes', async () => {
      for (const line of [
        'METADATA.v1',
        'METADATA.V1',
        'METADATA.v1/',
        'METADATA.v1//',
        'METADATA.v1/?x=1',
        'METADATA.v1?x=1',
      ]) {
        const { status, headers, text } = await gateway.call(`GET ${line}`)
        assert.equal(status, 200, text)
        assert.equal(headers['content-type'], 'application/json; encoding=UTF-8')
        const metadata = JSON.parse(text)
        const { currentUser, dbname, platformTransactionId, responseDTTM, dbType } = metadata
        assert.deepEqual(Object.keys(metadata), [
          ...['currentUser', 'dbname', 'toolsRelease', 'platformTransactionId'],
          ...['responseDTTM', 'dbType', 'serverTimeZone'],
        ])
        assert.equal(currentUser, 'GUEST')
        assert.equal(dbname, 'GATEWAY')
        assert.match(platformTransactionId, guid)
        assert.equal(platformTransactionId, headers['ig-transaction-id'])
        assert.equal(new Date(responseDTTM).toUTCString(), responseDTTM)
        assert.equal(dbType, database.name === 'SQLite' ? 'SQLITE' : 'POSTGRESQL')
      }
      assert.equal((await gateway.call('GET /healthz')).status, 200)
    })

    test('1.3, 2.7 only the alias is reachable', async () => {
      assert.equal(JSON.parse((await gateway.call('GET aliased-Name.v1/')).text).operationName, 'ALIASED_GET')
    })

    test('1.8 a target in absolute form is read by its path, and its authority is the host of this call alone', async () => {
      const socket = await openRawSocket(gateway.url)
      const path = '/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/v?x=1'
      const ask = async (target: string) => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: field.example\r\n\r\n`)
        const { status } = await socket.readReply()
        const seen = gateway.observations.findLast((each) => each.kind === 'answered')
        return [status, seen?.kind === 'answered' && seen.call.headers.host]
      }
      for (const host of ['elsewhere.example:1', 'Other.example', '[::1]:80'])
        for (const [target, expected] of [
          [`http://${host}${path}`, host],
          [path, 'field.example'],
        ] as const)
          assert.deepEqual(await ask(target), [200, expected])
      socket.destroy()
    })

    test('1.8 an authority that is no host is malformed', async () => {
      for (const authority of ['user@elsewhere.example', '', 'a b', '[::1', 'a:b'])
        assert.equal(
          (
            await sendRaw(
              gateway.url,
              `GET http://${authority}/PSIGW/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
            )
          ).status,
          400,
          authority,
        )
    })

    test('1.9 every active node reaches the same operations', async () => {
      const answer = await gateway.call('GET /PSIGW/RESTListeningConnector/ANONYMOUS/ECHO.v1/echo/v')
      assert.equal(answer.text, echoed('v'))
    })

    test('2.25, 5.2 the handler sees the index of the template that matched, and the values by name', async () => {
      const path = JSON.parse((await gateway.call('GET INDEX.v1/echo/a%20b')).text)
      assert.deepEqual([path.uriResourceIndex, path.values.parameter1], [1, 'a b'])
      const query = JSON.parse((await gateway.call('GET INDEX.v1/echo?value-to-echo=c')).text)
      assert.deepEqual([query.uriResourceIndex, query.values.parameter1], [2, 'c'])
    })

    test('2.6, 10.1 versions coexist, and neither serves calls to the other', async () => {
      assert.equal(JSON.parse((await gateway.call('GET METADATA.v2/')).text).operationVersion, 'v2')
      assert.equal(JSON.parse((await gateway.call('GET METADATA.v10/')).text).operationVersion, 'v10')
      assert.equal(JSON.parse((await gateway.call('GET METADATA.v1/')).text).currentUser, 'GUEST')
    })

    test('2.4 if OPTIONS is allowed, a page of another origin may read every response', async () => {
      const open = await openReference({ database, properties: { 'ig.OptionsEnabled': 'true' } })
      const origins = ({ rawHeaders }: Answer) =>
        rawHeaders.filter((_, i) => rawHeaders[i - 1] === 'access-control-allow-origin')
      try {
        const preflight = await open.call('OPTIONS KEY_VALUE.v1/a')
        assert.equal(preflight.headers.allow, 'GET, POST, PUT, DELETE, OPTIONS')
        for (const line of ['GET METADATA.v1/', 'GET METADATA_BASIC.v1/', 'GET NOPE.v1/', 'GET /nowhere']) {
          const answer = await open.call(line)
          assert.deepEqual(origins(answer), ['*'], line)
          assert.match(
            answer.headers['access-control-expose-headers'] ?? '',
            /^etag, retry-after, .*, ig-transaction-id$/,
            line,
          )
        }
        assert.deepEqual(origins(preflight), ['*'])
        const closed = await gateway.call('GET METADATA.v1/')
        assert.deepEqual([origins(closed), closed.headers['access-control-expose-headers']], [[], undefined])
      } finally {
        await open.close()
      }
    })

    test('10.2 document templates and OAuth2 are available whatever ig.toolsRelease says', async () => {
      const old = await openReference({ database, withIssuer: true, properties: { 'ig.toolsRelease': '8.40' } })
      try {
        assert.equal((await old.call('GET ECHO.v1/echo/v')).text, echoed('v'))
        const answer = await old.call('GET METADATA_OAUTH2.v1/', { headers: bearer(await old.token('DEMO')) })
        const { currentUser, toolsRelease } = JSON.parse(answer.text)
        assert.deepEqual([currentUser, toolsRelease], ['DEMO', '8.40'])
      } finally {
        await old.close()
      }
    })

    test('3.1 an earlier refusal hides all later ones', async () => {
      const [wrong, noPermission] = [basic('DEMO', 'wrong'), basic('NOPERM')]
      const { call } = gateway
      requireRefusal(await call('GET KEY_VALUE.v1/%zz', { headers: wrong }), 400, 'uriMalformed')
      assert.equal((await call('PATCH KEY_VALUE.v1/', { headers: wrong })).headers['ig-refusal'], 'operationNotFound')
      assert.equal((await call('GET KEY_VALUE.v1/a/b/c', { headers: wrong })).status, 401)
      const denied = await call('GET KEY_VALUE.v1/a/b/c', { headers: noPermission })
      assert.equal(denied.text, page('User Id: NOPERM is not authorized for the operation KEY_VALUE_GET.'))
      requireRefusal(await call('POST KEY_VALUE.v1/a', { headers: asDemo, body: '<bad' }), 404, 'uriNotMatched')
    })

    test('3.5, 3.6, 9.2 NONE accepts no credentials, Basic credentials or a token, and refuses wrong ones', async () => {
      const user = async (headers: Record<string, string>) =>
        JSON.parse((await gateway.call('GET METADATA.v1/', { headers })).text).currentUser
      assert.equal(await user({}), 'GUEST')
      assert.equal(await user(asDemo), 'DEMO')
      assert.equal(await user(bearer(await gateway.token('DEMO2'))), 'DEMO2')
      const wrong = await gateway.call('GET METADATA.v1/', { headers: basic('DEMO', 'wrong') })
      assert.match(String(wrong.headers['www-authenticate']), /^Basic /)
      const bad = await gateway.call('GET METADATA.v1/', { headers: bearer('no.token.here') })
      assert.match(String(bad.headers['www-authenticate']), /^Bearer /)
    })

    test('3.3, 4.2, 4.3, 9.14 a locked operator is refused by either kind of credential', async () => {
      const locked = await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('LOCKED') })
      assert.equal(locked.status, 401)
      assert.equal(locked.headers['www-authenticate'], 'Basic realm="platform", charset="UTF-8"')
      const token = bearer(await gateway.token('LOCKED'))
      const rejected = await gateway.call('GET METADATA_OAUTH2.v1/', { headers: token })
      assert.equal(rejected.status, 401)
      assert.equal(rejected.headers['www-authenticate'], 'Bearer realm="platform", error="invalid_token"')
      for (const answer of [locked, rejected]) {
        assert.equal(answer.headers['cache-control'], 'no-store, must-revalidate, private')
        assert.equal(answer.headers['content-length'], '0')
        assert.equal(answer.headers['ig-refusal'], undefined)
        assert.match(String(answer.headers['ig-transaction-id']), guid)
        assert.match(String(answer.headers['set-cookie']), /^JSESSIONID=/)
      }
    })

    test('3.9, 9.14 OAuth2 accepts bearer tokens only', async () => {
      const { call } = gateway
      const token = await gateway.token('DEMO')
      const good = await call('GET METADATA_OAUTH2.v1/', { headers: bearer(token) })
      assert.equal(JSON.parse(good.text).currentUser, 'DEMO')
      for (const headers of [{}, asDemo]) assert.equal((await call('GET METADATA_OAUTH2.v1/', { headers })).status, 401)
      assert.equal((await call(`GET METADATA_OAUTH2.v1/?access_token=${token}`)).status, 401)
      assert.equal((await call('GET METADATA_BASIC.v1/', { headers: bearer(token) })).status, 401)
    })

    test('3.4 a lock and an unlock in the store take effect in a running gateway', async () => {
      const { gateway: running } = gateway
      const { store } = running
      const status = async () => (await gateway.call('GET METADATA_BASIC.v1/', { headers: basic('DEMO2') })).status
      const changed = async (from: unknown) => {
        await poll(() => running.operators.get('DEMO2') !== from)
      }
      assert.equal(await status(), 200)
      const before = running.operators.get('DEMO2')
      await store.operators.setLocked('DEMO2', true)
      await changed(before)
      assert.equal(await status(), 401)
      const locked = running.operators.get('DEMO2')
      await store.operators.setLocked('DEMO2', false)
      await changed(locked)
      assert.equal(await status(), 200)
    })

    test('9.3, 9.4, 9.5, 9.8, 7.7 a POST stages its rows, a GET reads them in order of insertion', async () => {
      const key = `k${++rows}`
      const body =
        `<request><row><KEY>${key}</KEY><Value> one </Value><other>x</other></row>` +
        `<row><value>&lt;two&gt;</value><key>${key}</key></row><row><key>${key}</key></row></request>`
      const posted = await post(body)
      assert.equal(posted.status, 200, posted.text)
      assert.equal(posted.headers['content-type'], xmlType)
      const id = String(posted.headers['ig-transaction-id'])
      const [, user, time, transaction, name] =
        /^<\?xml version="1\.0"\?><response><META isMETA="True"><OPRID>(.*)<\/OPRID><CURRENT_TIME>(.*)<\/CURRENT_TIME><TRANSACTION_ID>(.*)<\/TRANSACTION_ID><DBNAME>(.*)<\/DBNAME><\/META><\/response>$/.exec(
          posted.text,
        ) ?? []
      assert.deepEqual([user, transaction, name], ['DEMO', id, 'GATEWAY'])
      assert.match(String(time), dateTime)
      const found = await read(key)
      const values = [...found.matchAll(/<LONGVALUE>(.*?)<\/LONGVALUE>|<LONGVALUE\/>/g)].map(([, value]) => value)
      assert.deepEqual(values, [' one ', '&lt;two&gt;', undefined])
      assert.equal(
        found.match(new RegExp(`<IBTRANSACTIONID>${id}</IBTRANSACTIONID><KEY1>${key}</KEY1>`, 'g'))?.length,
        3,
      )
      assert.match(String(/<ADD_DTTM>(.*?)<\/ADD_DTTM>/.exec(found)?.[1]), dateTime)
    })

    test('5.4, 7.5 a client that closes its sending half after a POST is answered, and its rows are stored', async () => {
      const key = `k${++rows}`
      const body = `<request><row><key>${key}</key></row></request>`
      const socket = await openRawSocket(gateway.url, { allowHalfOpen: true })
      const head = `POST ${root}/KEY_VALUE.v1/ HTTP/1.1\r\nHost: gateway\r\nAuthorization: ${asDemo.authorization}\r\n`
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
      socket.end()
      assert.equal((await socket.readReply()).status, 200)
      socket.destroy()
      assert.match(await read(key), new RegExp(`<KEY1>${key}</KEY1>`))
    })

    test('9.9, 9.10, 9.11 PUT replaces, DELETE removes, {?transaction} filters', async () => {
      const key = `k${++rows}`
      const one = await post(`<request><row><key>${key}</key><value>a</value></row></request>`)
      await post(`<request><row><key>${key}</key><value>b</value></row></request>`)
      const narrowed = await read(`${key}?transaction=${one.headers['ig-transaction-id']}`)
      assert.equal(narrowed.match(/<row>/g)?.length, 1)
      const put = await gateway.call(`PUT KEY_VALUE.v1/${key}`, {
        headers: asDemo,
        body: '<request><row><value>c</value></row><row><value>d</value></row></request>',
      })
      assert.match(put.text, /<ROWS>2<\/ROWS><\/META><\/response>$/)
      assert.match(await read(key), /<LONGVALUE>c<\/LONGVALUE>.*<LONGVALUE>d<\/LONGVALUE>/)
      const removed = await gateway.call(`DELETE KEY_VALUE.v1/${key}`, { headers: asDemo })
      assert.match(removed.text, /<ROWS>2<\/ROWS>/)
      assert.equal(await read(key), '<?xml version="1.0"?><response/>')
      requireRefusal(await gateway.call('GET KEY_VALUE.v1/', { headers: asDemo }), 400, 'uriValueInvalid')
    })

    test('4.15, 5.11, 5.12, 9.6, 9.7 an invalid body is refused, stores no row, and the next call is served', async () => {
      const key = `k${++rows}`
      const row = `<row><key>${key}</key></row>`
      const long = `<row><key>${'x'.repeat(255)}</key></row>`
      const bodies: readonly (string | Buffer)[] = [
        '',
        `<request>${row}`,
        `<other>${row}</other>`,
        `<!DOCTYPE request [<!ENTITY e "x">]><request>${row}</request>`,
        `<request>${row}${long}</request>`,
        `<request>${row}</request><request/>`,
        `<request>${row}<row><key>${'<a>'.repeat(100_000)}`,
        Buffer.concat([
          Buffer.from(`<request>${row}<row><key>`),
          Buffer.from([0xff, 0xfe]),
          Buffer.from('</key></row></request>'),
        ]),
      ]
      for (const body of bodies) requireRefusal(await post(body), 400, 'bodyMalformed')
      assert.match((await post(`<request>${row}${long}</request>`)).text, /row 2/i)
      assert.equal(await read(key), '<?xml version="1.0"?><response/>')
      assert.equal((await post('<request/>')).status, 200)
    })

    test('4.10, 5.13 a content encoding or charset that cannot be read is refused', async () => {
      const { call } = gateway
      const body = '<request/>'
      const zipped = { ...asDemo, 'content-encoding': 'gzip' }
      requireRefusal(await call('POST KEY_VALUE.v1/', { headers: zipped, body }), 415, 'contentUnsupported')
      const charset = { ...asDemo, 'content-type': 'text/xml; charset=klingon' }
      requireRefusal(await call('POST KEY_VALUE.v1/', { headers: charset, body }), 415, 'contentUnsupported')
      const literal = { ...asDemo, 'content-type': xmlType }
      assert.equal((await call('POST KEY_VALUE.v1/', { headers: literal, body })).headers['content-type'], xmlType)
    })

    test('10.3 a call causes no outgoing traffic except fetching keys', async () => {
      const origins = new Set<string>()
      const note = (message: unknown) => void origins.add((message as { request: { origin: string } }).request.origin)
      const noteHttp = (message: unknown) => {
        const { request } = message as { request: { protocol: string; host: string; getHeader(name: string): string } }
        origins.add(`${request.protocol}//${request.getHeader('host')}`)
      }
      const token = await gateway.token('DEMO')
      subscribe('undici:request:create', note)
      subscribe('http.client.request.start', noteHttp)
      try {
        await gateway.call('GET METADATA_OAUTH2.v1/', { headers: bearer(token) })
        await gateway.call('GET METADATA_OAUTH2.v1/', { headers: bearer('no.token.here') })
        await post('<request/>')
        await post('<bad')
      } finally {
        unsubscribe('undici:request:create', note)
        unsubscribe('http.client.request.start', noteHttp)
      }
      origins.delete(new URL(gateway.issuer ?? '').origin)
      assert.deepEqual([...origins], [gateway.url], 'the calls of this test, and nothing else')
    })

    test('9.15, 8.4 a second start keeps the data', async () => {
      const key = `k${++rows}`
      await post(`<request><row><key>${key}</key></row></request>`)
      await gateway.restart()
      assert.match(await read(key), new RegExp(`<KEY1>${key}</KEY1>`))
    })
  })
})
