/** Calls of listeners that a gateway guards, over real sockets (specification 44.1 to 44.6). */
import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { TestGateway } from 'integration-gateway/testing'
import { readStated } from '../../../src/features/listeners/parameters.ts'
import { type Original, openOriginal } from '../../support/original.ts'
import { envelope, openListeners, send } from './guarded.ts'

let original: Original
let gateway: TestGateway
let caller: Record<string, string>
let other: Record<string, string>
before(async () => {
  original = await openOriginal()
  gateway = await openListeners(original.url)
  caller = { authorization: await gateway.basicCredentials('CALLER') }
  other = { authorization: await gateway.basicCredentials('OTHER') }
})
after(async () => {
  await gateway.close()
  original.close()
})
beforeEach(() => {
  original.requests.length = 0
})

const soap = '/PSIGW/PeopleSoftServiceListeningConnector'
const plain = '/PSIGW/HttpListeningConnector'
const xml = { 'content-type': 'text/xml' }
const triple = '?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR'

suite('a listed call', () => {
  for (const [title, target, headers] of [
    ['the query', plain + triple, xml],
    ['OperationName of the query', `${plain}?OperationName=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`, xml],
    ['headers', plain, { ...xml, OperationName: 'JOB_SYNC.v1', From: 'PARTNER', To: 'PSFT_HR' }],
    ['SOAPAction and the query', `${plain}?From=PARTNER&To=PSFT_HR`, { ...xml, SOAPAction: 'JOB_SYNC.v1' }],
    ['a quoted SOAPAction', `${plain}?From=PARTNER&To=PSFT_HR`, { ...xml, SOAPAction: '"JOB_SYNC.v1"' }],
    ['the long SOAPAction', plain, { ...xml, SOAPAction: 'http://peoplesoft.com/JOB_SYNC.v1/PARTNER//PSFT_HR' }],
    [
      'the action of the content type',
      `${plain}?From=PARTNER&To=PSFT_HR`,
      { 'content-type': 'application/soap+xml; charset=utf-8; action="JOB_SYNC.v1"' },
    ],
    [
      'both parameters of the content type, quoted',
      `${plain}?From=PARTNER&To=PSFT_HR`,
      { 'content-type': 'application/soap+xml;Charset="UTF-8" ; Action=JOB_SYNC.v1;' },
    ],
    ['no nodes', soap, { ...xml, SOAPAction: '"OPEN.v1"' }],
    ['an empty SOAPAction beside the query', plain + triple, { ...xml, SOAPAction: '""' }],
    ['OperationType sync', `${plain}${triple}&OperationType=sync`, xml],
  ] as const)
    test(`44.1, 44.3, 44.6 passes unchanged: ${title}`, async () => {
      const answer = await send(gateway, 'POST', target, { ...caller, ...headers }, envelope)
      assert.equal(answer.status, 200, answer.body)
      const [request] = original.requests
      assert.equal(request?.url, target)
      assert.equal(request.body.toString(), envelope)
      assert.equal(request.headers.authorization, undefined)
      for (const [name, value] of Object.entries(headers)) assert.equal(request.headers[name.toLowerCase()], value)
    })
})

for (const declaration of [
  '',
  '<?xml version="1.0"?>',
  "<?xml version = '1.0'\tencoding = 'us-ascii'\nstandalone='yes' ?>\n<?a b?><!-- c -->",
])
  test(`44.4 passes unchanged: ${JSON.stringify(declaration)}`, async () => {
    const body = `${declaration}<a/>`
    await send(gateway, 'POST', soap, { ...caller, ...full }, body)
    assert.equal(original.requests[0]?.body.toString(), body)
  })

const full = { ...xml, ...{ SOAPAction: 'OPEN.v1' } }
const utf16 = Buffer.from(`\ufeff${envelope}`, 'utf16le')
const raw = (text: string) => Buffer.from(text, 'latin1')

suite('another call', () => {
  for (const [title, target, headers, body] of [
    ['no operation', `${plain}?From=PARTNER&To=PSFT_HR`, xml],
    ['another triple', `${plain}?Operation=JOB_SYNC.v1&From=PARTNER&To=OTHER`, xml],
    ['no node where the list has one', `${plain}?Operation=JOB_SYNC.v1&From=PARTNER`, xml],
    ['the operation in another letter case', `${plain}?Operation=job_sync.v1&From=PARTNER&To=PSFT_HR`, xml],
    ['a parameter in another letter case', `${plain}?operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`, xml],
    ['an encoded name', `${plain}?%4Fperation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`, xml],
    ['the same parameter twice', `${plain}${triple}&To=PSFT_HR`, xml],
    ['both names of the operation', `${plain}${triple}&OperationName=JOB_SYNC.v1`, xml],
    ['query and SOAPAction', plain + triple, { ...xml, SOAPAction: 'JOB_SYNC.v1' }],
    ['query and header', plain + triple, { ...xml, From: 'PARTNER' }],
    ['query and action', plain + triple, { 'content-type': 'application/soap+xml; action=JOB_SYNC.v1' }],
    ['SOAPAction and action', soap, { 'content-type': 'application/soap+xml; action=OPEN.v1', SOAPAction: 'OPEN.v1' }],
    ['two actions', soap, { 'content-type': 'application/soap+xml; action=OPEN.v1; action=OPEN.v1' }],
    ['an empty SOAPAction in the long form', plain + triple, { ...xml, SOAPAction: 'http://peoplesoft.com////' }],
    ['OperationType async', `${plain}${triple}&OperationType=async`, xml],
    ['OperationType ping', plain + triple, { ...xml, OperationType: 'Ping' }],
    ['a password', `${plain}${triple}&Password=secret`, xml],
    [
      'a password in the SOAPAction',
      plain,
      { ...xml, SOAPAction: 'http://peoplesoft.com/JOB_SYNC.v1/PARTNER/x/PSFT_HR' },
    ],
    ['another parameter of the query', `${plain}${triple}&FinalDestination=PSFT_FS`, xml],
    ['another parameter of headers', plain + triple, { ...xml, FinalDestination: 'PSFT_FS' }],
    [
      'a header that Connection names',
      `${plain}?Operation=JOB_SYNC.v1&To=PSFT_HR`,
      { ...xml, From: 'PARTNER', connection: 'From, close' },
    ],
    ['a semicolon', `${soap}?Operation=OPEN.v1&Password=a;From=PSFT_FS`, xml],
    ['an unknown parameter', `${plain}${triple}&a=1`, xml],
    ['MIME', soap, { ...full, 'content-type': 'multipart/related; boundary=b' }],
    ['a form', soap, { ...full, 'content-type': 'application/x-www-form-urlencoded' }],
    ...[
      'text/xml; a=b, multipart/related; boundary=b',
      'text/xml; x=multipart/related',
      "text/xml; charset*=utf-16''",
      'text/xml; (a) charset=utf-16',
      'text/xml; charset=utf-8; charset=iso-8859-1',
      "text/xml; action*=utf-8''A.v1",
      'text/xml; action="http://peoplesoft.com/OPEN.v1//a; action=A.v1/"',
    ].map(
      (type) =>
        [
          `the type ${type}`,
          /=.*OPEN/.test(type) ? soap : `${soap}?Operation=OPEN.v1`,
          { 'content-type': type },
        ] as const,
    ),
    ['gzip', soap, { ...full, 'content-encoding': 'gzip' }],
    ['base64', soap, { ...full, 'content-transfer-encoding': 'base64' }],
    ['the charset UTF-16', soap, { ...full, 'content-type': 'text/xml; charset=utf-16' }, utf16],
    ['UTF-16 without a charset', soap, full, utf16],
    ['the charset UTF-7', soap, { ...full, 'content-type': 'text/xml; charset=utf-7' }],
    ['UTF-7 in the declaration', soap, full, raw('<?xml version="1.0" encoding="utf-7"?><a/>')],
    ...[
      '<?xml version="1.1" encoding="iso-8859-1"?><IBRequest\x85>a</IBRequest>',
      '<?xml version="1.1"?><a/>',
      '\n<?xml version="1.0" encoding="utf-7"?><a/>',
      '<!-- --><?XML version="1.0" encoding="utf-7"?><a/>',
      `<?xml version='encoding="utf-8"' encoding="utf-7"?><a/>`,
      '<?xml version="1.0" encoding=utf-7?><a/>',
      '<?xml version="1.0" encoding="utf-8" encoding="utf-7"?><a/>',
      '<?xml-stylesheet href="http://localhost/"?><a/>',
    ].map((text) => [JSON.stringify(text), soap, full, raw(text)] as const),
    ['a DOCTYPE', soap, full, raw('<!DOCTYPE a SYSTEM "http://localhost/"><a/>')],
    [
      'a DOCTYPE after comments',
      soap,
      full,
      raw('<?xml version="1.0"?><!-- a --><?b c?>\n<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a/>'),
    ],
    ['IBRequest', soap, full, raw('<?xml version="1.0"?>\n<IBRequest><From/></IBRequest>')],
    ['IBRequest with a prefix', soap, full, raw('<i:IBRequest xmlns:i="a"/>')],
    ['IBInfo', soap, full, raw('<!-- a --><IBInfo>')],
    ['no XML', soap, full, raw('{"a":1}')],
    ['a MIME part without its type', soap, full, raw('--b\r\nContent-Type: text/xml\r\n\r\n<IBInfo/>')],
    ['a body that ends before its root', soap, full, raw('<?xml version="1.0"?><!-- ')],
    ['a DOCTYPE in a comment that ends early', soap, full, raw('<!-- -- ><!DOCTYPE a>--><a/>')],
    ['a long prologue', soap, full, raw(`<!--${' '.repeat(20_000)}--><a/>`)],
    ['an empty body', soap, full, raw('')],
  ] as readonly (readonly [string, string, Record<string, string>, Buffer?])[])
    test(`44.3, 44.4, 44.6 is refused, and nothing of it is sent on: ${title}`, async () => {
      const { status, refusal } = await send(gateway, 'POST', target, { ...caller, ...headers }, body ?? envelope)
      assert.deepEqual([status, refusal], [403, 'listenerRefused'])
      assert.equal(original.requests.length, 0)
    })
})

for (const action of [
  'https://peoplesoft.com/OPEN.v1/PARTNER/hunter2/PSFT_HR',
  'http://peoplesoft.com/OPEN.v1//hunter2/a/b',
])
  test(`44.3, 8.7 the reason for the log has no part of ${action}`, () => {
    const read = () => readStated({ soapaction: action }, undefined, { nodePassword: true })
    assert.throws(read, (error: Error) => error.message !== '' && !error.message.includes('hunter2'))
  })

test('44.2 a listed call needs credentials, and a permission list that names it', async () => {
  const call = async (headers: Record<string, string>, target: string) =>
    (await send(gateway, 'POST', target, { ...xml, ...headers }, envelope)).status
  assert.equal(await call({}, plain + triple), 401)
  assert.equal(await call(other, `${soap}?Operation=OPEN.v1`), 200)
  assert.equal(original.requests.length, 1)
  const denied = await send(gateway, 'POST', plain + triple, { ...xml, ...other }, envelope)
  assert.equal(denied.refusal, 'permissionDenied')
  assert.equal(original.requests.length, 1)
})

suite('a path', () => {
  for (const path of [
    '?Operation=GetWSDL&wsdl=JOB.1',
    '?Operation=GetSchema&xsd=JOB.v1',
    '/JOB.1.wsdl',
    '/PSFT_HR/JOB.v1.xsd',
  ])
    test(`44.5 passes with wsdl: ${path}`, async () => {
      const { status } = await send(gateway, 'GET', soap + path, caller)
      assert.equal(status, 200)
      assert.deepEqual(
        original.requests.map(({ url }) => url),
        [soap + path],
      )
    })
  for (const [method, target] of [
    ['GET', `${plain}?Operation=GetWSDL&wsdl=JOB.1`],
    ['GET', soap],
    ['GET', `${soap}?Operation=GetWSDL&wsdl=JOB.1&a=b`],
    ['GET', `${soap}?Operation=GetWSDL&wsdl=..`],
    ['GET', `${soap}/..wsdl`],
    ['GET', `${soap}/../HttpListeningConnector/a.wsdl`],
    ['GET', `${soap}/a%2fb.wsdl`],
    ['PUT', plain + triple],
    ['OPTIONS', plain + triple],
    ['POST', `${plain}/${triple}`],
    ['POST', `${plain};a=b${triple}`],
    ['POST', `/PSIGW/./HttpListeningConnector${triple}`],
    ['POST', `/PSIGW/%48ttpListeningConnector${triple}`],
    ['POST', `/PSIGW/httplisteningconnector${triple}`],
    ['POST', `/PSIGW/PeopleSoftListeningConnector${triple}`],
  ] as const)
    test(`44.1, 44.5 is unknown: ${method} ${target}`, async () => {
      const headers = { ...caller, ...xml }
      const { status } = await send(gateway, method, target, headers, method === 'GET' ? undefined : envelope)
      assert.equal(status, 404)
      assert.equal(original.requests.length, 0)
    })
  for (const headers of [
    { SOAPAction: 'A.v1' },
    { 'content-type': 'application/soap+xml; action=A.v1' },
    { 'content-type': 'multipart/related; boundary=b' },
  ] as readonly Record<string, string>[])
    test(`44.5 a GET with ${JSON.stringify(headers)} is refused`, async () => {
      const { refusal } = await send(gateway, 'GET', `${soap}/JOB.1.wsdl`, { ...caller, ...headers })
      assert.equal(refusal, 'listenerRefused')
      assert.equal(original.requests.length, 0)
    })
  test('44.5 a GET with a body is refused', async () => {
    const { refusal } = await send(gateway, 'GET', `${soap}/JOB.1.wsdl`, caller, 'a')
    assert.equal(refusal, 'listenerRefused')
    assert.equal(original.requests.length, 0)
  })
})
