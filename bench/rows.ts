/** What the benchmark asks for: one row for each reference operation that a reader would wonder about. */

export interface Request {
  readonly method: string
  readonly path: string
  /** Flat: name, value… */
  readonly headers: readonly string[]
  readonly body: string
}

export interface Row {
  readonly name: string
  readonly shows: string
  readonly request: (token: string) => Request
  /** A part of the body that only the right answer has: refusals of the observed style are 200 as well. */
  readonly expected: string
}

const node = '/PSIGW/RESTListeningConnector/LOCAL_NODE'
const demo = ['authorization', `Basic ${Buffer.from('DEMO:demo-password').toString('base64')}`]
const get = (path: string, headers: readonly string[] = []) => ({
  method: 'GET',
  path: `${node}/${path}`,
  headers,
  body: '',
})

export const rows: readonly Row[] = [
  {
    name: 'METADATA',
    shows: 'NONE: the default user, a JSON answer',
    request: () => get('METADATA.v1/'),
    expected: '"currentUser":"GUEST"',
  },
  {
    name: 'METADATA_BASIC',
    shows: 'a known password',
    request: () => get('METADATA_BASIC.v1/', demo),
    expected: '"currentUser":"DEMO"',
  },
  {
    name: 'METADATA_OAUTH2',
    shows: 'a known bearer token',
    request: (token) => get('METADATA_OAUTH2.v1/', ['authorization', `Bearer ${token}`]),
    expected: '"currentUser":"DEMO"',
  },
  {
    name: 'ECHO',
    shows: 'a URL value into an XML answer',
    request: () => get('ECHO.v1/echo/some%20value'),
    expected: '<parameter1>some value</parameter1>',
  },
  {
    name: 'CACHED_TIME',
    shows: 'an answer out of the REST cache',
    request: () => get('CACHED_TIME.v1/', demo),
    expected: '<current-user>DEMO</current-user>',
  },
  {
    name: 'KEY_VALUE',
    shows: 'a POST of ten rows, stored in one transaction; bare reads the body and stores nothing',
    request: () => ({
      method: 'POST',
      path: `${node}/KEY_VALUE.v1`,
      headers: [...demo, 'content-type', 'text/xml; encoding="UTF-8"'],
      body: tenRows(),
    }),
    expected: '<OPRID>DEMO</OPRID>',
  },
]

function tenRows(): string {
  const rows = Array.from(
    { length: 10 },
    (_, index) => `<row><key>key-${index}</key><value>The value of row ${index}, of some length</value></row>`,
  )
  return `<?xml version="1.0"?><request>${rows.join('')}</request>`
}
