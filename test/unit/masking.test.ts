/** What is taken out of a text before it is written anywhere, and what stays readable (specification 8.7). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHtml } from '../../src/base/escape.ts'
import { maskBody } from '../../src/moving/record/mask-body.ts'
import { writeEntry } from '../../src/observe/log-entry.ts'
import { maskings } from '../../src/observe/masking/masking.ts'
import { redactHeader, redactText } from '../../src/observe/masking/redact.ts'
import { openRandom } from '../ordeal/ordeal.ts'

/** `hunter2` is the secret, `readable` what must stay. */
const texts: readonly (readonly [what: string, text: string])[] = [
  ['CDATA that looks like the end', '<r><password><![CDATA[</password>hunter2]]></password><n>readable</n></r>'],
  ['XML in CDATA', '<r><data><![CDATA[<password>hunter2</password><n>readable</n>]]></data></r>'],
  ['XML in escaped XML', '<a>&lt;password&gt;hunter2&lt;/password&gt;&lt;n&gt;readable&lt;/n&gt;</a>'],
  ['an attribute in single quotes', "<login password='hunter2' user='readable'/>"],
  ['a named field in single quotes', "<f name='password' value='hunter2'/><n>readable</n>"],
  ['a value before its name', "<f value='hunter2' name='password'/><n>readable</n>"],
  ['a value in an element below its name', "<f name='password'><v>hunter2</v></f><n>readable</n>"],
  ['a name with a character reference', '<f name="p&#97;ssword" value="hunter2"/><n>readable</n>'],
  ['a comment of XML', '<r><!-- password: hunter2 --><n>readable</n></r>'],
  ['a comment that looks like the end', '<r><pin><!--</pin>-->hunter2</pin><n>readable</n></r>'],
  ['an element without an end', '<r><a><password>hunter2</a><n>readable</n></r>'],
  ['an input of HTML', '<form><input name="password" value="hunter2"><p>readable</p></form>'],
  ['a row of key and value', '<row><key>password</key><value>hunter2</value></row><row><key>readable</key></row>'],
  ['a row of KEY1 and LONGVALUE', '<row><KEY1>pin</KEY1><LONGVALUE>hunter2</LONGVALUE></row><n>readable</n>'],
  ['a row of JSON, the value first', '[{"value":"hunter2","name":"password"},{"name":"readable"}]'],
  ['a row of JSON with more members', '[{"name":"otp","type":"x","value":{"is":"hunter2"}},"readable"]'],
  ['pairs of JSON', '[["password","hunter2"],["user","readable"]]'],
  ['JSON in JSON', '{"a":"{\\"password\\":\\"hunter2\\",\\"n\\":\\"readable\\"}"}'],
  [
    'JSON in JSON in JSON',
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ pin: 'hunter2', n: 'readable' }) }) }),
  ],
  ['JSON in JSON that is cut off', '"readable","a":"{\\"password\\":\\"hunter2 hunter2'],
  ['XML in JSON', '{"a":"<password>hunter2</password><n>readable</n>"}'],
  ['JSON in XML', '<a>{"password":"hunter2","n":"readable"}</a>'],
  ['JSON in a form', 'n=readable&payload=%7B%22password%22%3A%22hunter2%22%7D'],
  ['a comment of JSON', '{"a": /* password hunter2 */ "readable"}'],
  ['an object of JavaScript', "{password: 'hunter2', 'pin': 'hunter2', n: 'readable'}"],
  ['an object as Java prints it', '{user=readable, password=hunter2 hunter2}'],
  ['JSON of a stream of events', 'event: readable\ndata: {"password":"hunter2"}\n\n'],
  ['JSON behind JSON', '{"n":"readable"}\n{"password":"hunter2"}'],
  ['PEM', 'readable\n-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----'],
  ['PEM in JSON', '{"n":"readable","k":"-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----\\n"}'],
  ['PEM in a form', 'n=readable&k=-----BEGIN+PRIVATE+KEY-----%0Ahunter2%0A-----END+PRIVATE+KEY-----'],
  ['PEM that is cut off', 'readable -----BEGIN PRIVATE KEY-----\nhunter2'],
  ['an authorization code in a form', 'code=hunter2&grant_type=readable'],
  ['a code verifier', '{"code_verifier":"hunter2","code":"readable"}'],
  ...['key', 'sig', 'code', 'ticket', 'signature', 'X-Amz-Signature', 'SAMLResponse', 'client_secret', 'id_token'].map(
    (name) => [`${name} in a query`, `GET /x?${name}=hunter2&n=readable`] as const,
  ),
  ['key as another parameter', '/x?n=readable&key=hunter2'],
  ['key in a URL in XML', '<a href="https://h/x?n=readable&amp;key=hunter2"/>'],
  ['key in a URL in JSON', '{"href":"https://h/x?n=readable\\u0026key=hunter2"}'],
  ['a password in a URL in JSON', '{"href":"https:\\/\\/readable:hunter2@h\\/"}'],
  ['a password with a quotation mark in a form', "n=readable&password=a'hunter2"],
  ['a pin in YAML in an attribute in JSON', '{"a":"<e v=\\"n: readable\\npin: hunter2\\"/>"}'],
  ['a form in a form that is cut off', 'n=readable&payload=%7B%22pin%22%3A%22hunter2%2'],
  ['values of a form that nobody encoded', `pin=a hunter2&password=a<hunter2&otp="a"hunter2&n=readable`],
  ['a name of a form that was encoded twice', 'n=readable&p%2561ssword=hunter2&key%20=hunter2'],
  ['JSON in a form, encoded twice', 'n=readable&payload=%257B%2522password%2522%253A%2522hunter2%2522%257D'],
  ['a password in a URL in a query', '/x?n=readable&u=https%3A%2F%2Fme%3Ahunter2%40h%2F'],
  ['a JSON Web Token in JSON in a query', '/x?n=readable&q=%7B%22a%22%3A%22eyJhbGciOiJSUzI1NiJ9.hunter2%22%7D'],
  ['a JSON Web Token behind an escape', '{"n":"readable","a":"x\\neyJhbGciOiJSUzI1NiJ9.hunter2"}'],
  ['a code in a fragment', 'location: https://h/readable#code=hunter2&state=x'],
  ['a name in CDATA in two parts', '<r><key>pass<![CDATA[word]]></key><value>hunter2</value><n>readable</n></r>'],
  ['XML with CDATA in CDATA', '<r><d><![CDATA[<pin><![CDATA[hunter2]]]]><![CDATA[></pin>]]></d><n>readable</n></r>'],
  ['a comment between name and colon', '{"password" /* of */ : "hunter2", "n" /* password hunter2 */ : "readable"}'],
  ['an array of PHP', "['n' => 'readable', 'password' => 'hunter2']"],
  ['a call of GraphQL', 'mutation { login(user: "readable", password: "hunter2") { id } }'],
  ['a call of GraphQL in JSON', '{"query":"{ login(user: \\"readable\\", pin: \\"hunter2\\") { id } }"}'],
  ['a header in the middle of a line', 'readable: curl -H "X-Api-Key: hunter2" http://h'],
  ['a conflict of PostgreSQL', 'Key (id, api_token)=(1, hunter2) already exists. readable'],
  ['a block of YAML behind a quoted name', 'n: readable\n"password": |\n  a\n  hunter2'],
  ['a row of YAML', 'env:\n- name: PASSWORD\n  value: hunter2\n- name: "N"\n  value: readable\n'],
  [
    'a row of YAML, the value first',
    '- n: 1\n  value: |\n    hunter2\n\n    hunter2\n  "key": "api_token"\n- readable',
  ],
  ...['name="code"', 'name = "my password"', "name='pin'", "name*=utf-8''pass%77ord", '\r\n name="password"'].map(
    (name) =>
      [
        `a part with ${name.trim()}`,
        `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\nhunter2\r\n--b\r\nn: readable\r\n--b--`,
      ] as const,
  ),
  ...['userPin', 'smsOtp', 'dbPass', 'basicAuth', 'cvv2', 'api key', 'session.id', 'pass-phrase', 'sessionKey'].map(
    (name) => [`the name ${name}`, `{"${name}":"hunter2","n":"readable"}`] as const,
  ),
  ['psToken', '{"data":{"psToken":"hunter2","userid":"readable"}}'],
  ['PS_TOKEN', 'PS_TOKEN=hunter2; n=readable'],
  ['Idempotency-Key in a text', 'idempotency-key: hunter2\nn: readable'],
]
for (const [what, text] of texts) {
  test(`8.7 a secret is redacted, and the text around it is readable: ${what}`, () => {
    const clean = redactText(text)
    assert.doesNotMatch(clean, /hunter2/)
    assert.match(clean, /readable/)
  })
}

test('8.7 headers of keys, signatures and tokens are redacted, and others are not', () => {
  for (const name of [
    'x-signature',
    'X-Hub-Signature-256',
    'x-functions-key',
    'PS_TOKEN',
    'Idempotency-Key',
    'x-amz-key',
  ])
    assert.equal(redactHeader(name, 'hunter2'), '[redacted]', name)
  for (const name of ['content-type', 'x-request-id', 'accept', 'ig-transaction-id', 'ig-refusal'])
    assert.equal(redactHeader(name, 'readable'), 'readable', name)
})

test('8.7 text without secrets is unchanged', () => {
  const readable = [
    '<request><row><key>hello</key><value>world</value></row></request>',
    '{"type":"about:blank","title":"Unauthorized","status":401,"code":"uriNotMatched","transactionId":"1-2"}',
    '{"code":"tokenRejected","key":"KEY_VALUE","keys":["a","b"],"passenger":"x","author":"y","pinned":true}',
    'GET /PSIGW/RESTListeningConnector/LOCAL_NODE/KEY_VALUE.v1/code?value-to-echo=key&mode=full',
    'KEY_VALUE_GET.v1: the handler failed: SyntaxError: Unexpected token } in JSON at position 7',
    "TypeError: Cannot read properties of undefined (reading 'id')\n    at X.onRequest (file:///p/x.ts:12:7)",
    'Map<string, string>: a < b && c > d, {, [1] and Basic authentication failed: no Basic credentials.',
    'grant_type=client_credentials&n=1',
    '{"unpinned":1,"Author":2,"opinion":3,"compass":4,"OAUTH2":5,"sessions":6,"passedKey":7,"decode":"x => x.code"}',
    'n=1&value=%7B%22a%22%3A1%7D&monkeyJsonSerializationOfRows=2#key',
    '--b\r\nContent-Disposition: form-data; name="n"; filename="key.txt"\r\n\r\nfile\r\n--b--',
    'Key (id)=(1) already exists. x-request-id: 5',
    '<html><body><p class="code">a</p><br><input name="user" value="me"></body></html>',
  ]
  for (const text of readable) assert.equal(redactText(text), text)
})

test('8.7 redaction takes linear time: megabytes of known and of unterminated structures are processed', () => {
  const row = '<row><key>password</key><value>hunter2</value></row>'
  const pieces = [
    row,
    '{"name":"password","value":"hunter2"},',
    '{"a":"{\\"password\\":\\"hunter2\\"}"}',
    '<password><![CDATA[hunter2]]></password>',
    "<a password='hunter2'>",
    '<!-- password',
    '{"password":',
    '[["password",',
    '{a=',
    '<a b=',
    '<![CDATA[<password>',
    '&lt;password&gt;',
    '</a><a>',
    '\\"password\\":\\"',
    '-----BEGIN PASSWORD-----',
    '%7B%22password%22',
    "'password':",
    '/*',
    '<?',
    '?key=',
  ]
  for (const piece of pieces) {
    const text = `${piece.repeat(200_000 / piece.length)}\npassword: hunter2`
    assert.ok(!redactText(text).includes('hunter2'), piece)
  }
  assert.ok(!redactText(`<request>${row.repeat(4_000_000 / row.length)}</request>`).includes('hunter2'))
})

const { strict } = maskings
/** `a/{parameter1}?b={parameter2}` */
const template = { index: 1, query: [{ name: 'b', variable: {} }] }
const operation = { templates: [template], logDetail: 'headerAndDetail', logFields: ['Shown', 'x-shown'] } as never
const bound = { operation, templateIndex: 1, hasTarget: true }

test('1.14, 8.11 under strict a URL shows what a template binds, fields that the operation lists, and the names of the rest', () => {
  const base = '/PSIGW/RESTListeningConnector/LOCAL_NODE'
  const rows: readonly (readonly [target: string, known: Parameters<typeof strict.url>[1], shown: string])[] = [
    [`${base}/X.v1/a/1?b=2&c=hunter2&hunter2`, bound, `${base}/X.v1/a/1?b=2&c=[redacted]&[redacted]`],
    [`${base}/X.v1/a/1?%62=2&shown=3`, bound, `${base}/X.v1/a/1?%62=2&shown=3`],
    [`${base}/X.v1/a/1?shown=a?b`, bound, `${base}/X.v1/a/1?shown=a?b`],
    [`${base}/X.v1/a/1?b=eyJhbGciOiJSUzI1NiJ9.hunter2`, bound, `${base}/X.v1/a/1?b=[redacted]`],
    [`${base}/X.v1/hunter2/1?b=2`, { ...bound, templateIndex: undefined }, `${base}/X.v1/[redacted]?b=[redacted]`],
    [`${base}/hunter2/a`, { operation: undefined, templateIndex: undefined, hasTarget: true }, `${base}/[redacted]`],
    [
      '/SSCDEV/PSIGW/RESTListeningConnector/N/absence/a/1?b=2',
      bound,
      '/SSCDEV/PSIGW/RESTListeningConnector/N/absence/a/1?b=2',
    ],
    [
      '/SSCDEV/PSIGW/RESTListeningConnector/N/absence/hunter2',
      { ...bound, templateIndex: undefined },
      '/SSCDEV/PSIGW/RESTListeningConnector/N/absence/[redacted]',
    ],
    ['/hunter2?a', { operation: undefined, templateIndex: undefined, hasTarget: false }, '/[redacted]?[redacted]'],
    ['http://hunter2/x', { operation: undefined, templateIndex: undefined, hasTarget: false }, '/[redacted]'],
  ]
  for (const [target, known, shown] of rows) assert.equal(strict.url(target, known), shown)
})

test('8.11 under strict messages are structure with masked values, except for fields that the operation lists', () => {
  const rows: readonly (readonly [body: string, shown: string])[] = [
    [
      '{"a":"hunter2","b":[1,true],"shown":"readable"}',
      '{"a":[redacted],"b":[[redacted],[redacted]],"shown":"readable"}',
    ],
    ['{"shown":{"a":"hunter2"}}', '{"shown":{"a":[redacted]}}'],
    ['{"a":"hunter2', '{"a":[redacted]'],
    [
      '<?xml version="1.0"?><r a="hunter2"><n:Shown>readable</n:Shown><b>hunter2</b><!--hunter2--></r>',
      '<?xml version="1.0"?><r a=[redacted]><n:Shown>readable</n:Shown><b>[redacted]</b><!-- [redacted] --></r>',
    ],
    ['<r><![CDATA[hunter2]]><b/>hunter2</r>', '<r><![CDATA[[redacted]]]><b/>[redacted]</r>'],
    ['a=hunter2&shown=readable', 'a=[redacted]&shown=readable'],
    ['hunter2 and so on', '[redacted]'],
    ['hunter2 {"a":1} hunter2', '[redacted]'],
    ['{"a":1} hunter2 <hunter2>', '{"a":[redacted]}[redacted]'],
    ['', ''],
  ]
  for (const [body, shown] of rows) assert.equal(strict.body(body, bound), shown)
  assert.equal(strict.header('accept', 'hunter2', bound), '[redacted]')
  assert.equal(strict.header('X-Shown', 'readable', bound), 'readable')
  assert.equal(strict.detail('{"row":"hunter2","shown":1}', bound), '{"row":[redacted],"shown":1}')
})

test('8.11 strict shows nothing that known redacts', () => {
  const fields = {
    operation: { templates: [template], logFields: ['password', 'cookie'] } as never,
    templateIndex: 1,
    hasTarget: true,
  }
  assert.equal(strict.body('{"password":"hunter2"}', fields), '{"password":[redacted]}')
  assert.equal(strict.header('cookie', 'hunter2', fields), '[redacted]')
  assert.equal(strict.url('/a?password=hunter2', fields), '/a?password=[redacted]')
})

const values = [
  'hunter2',
  'hunter2 x',
  'a,hunter2',
  'a;hunter2&b',
  'a"hunter2',
  "a'hunter2",
  '<hunter2>',
  '\u00fchunter2',
]
const leaves: readonly ((value: string) => string)[] = [
  (value) => JSON.stringify({ a: 1, clientSecret: value, z: 2 }),
  (value) => JSON.stringify({ tokens: [value, { x: value }] }),
  (value) => JSON.stringify([{ key: 'psToken', value }]),
  (value) => `<r><password a="1">${escapeHtml(value)}</password></r>`,
  (value) => `<r x='1' pin="${escapeHtml(value)}"/>`,
  (value) => `<r><k><name>otp</name><value>${escapeHtml(value)}</value></k></r>`,
  (value) => `<a><!-- password: ${escapeHtml(value)} --></a>`,
  (value) => `a=1&user%5Bpass%5D=${encodeURIComponent(value)}&z=2`,
  (value) => `a: 1\npin: ${value}\nz: 1`,
]
const wraps: readonly ((text: string, random: () => number) => string)[] = [
  (text) => JSON.stringify({ id: 3, body: text, more: [1] }),
  (text) => JSON.stringify({ body: { deep: [text] } }, null, 2),
  (text) => `<env><h/><b>${escapeHtml(text)}</b></env>`,
  (text) => `<env><b><![CDATA[${text.replaceAll(']]>', '')}]]></b></env>`,
  (text) => `<e v="${escapeHtml(text)}"/>`,
  (text) => `x=1&payload=${encodeURIComponent(text)}`,
  (text) => `cannot use ${text} here`,
  (text) => `first line\n${text}\nlast`,
  (text, random) => text.slice(0, Math.ceil(text.length * (0.7 + 0.3 * random()))),
]

test('8.7, 8.11 a secret is redacted in every structure, nested three deep, and truncated', () => {
  const random = openRandom(1)
  const choose = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  const nowhere = { operation: undefined, templateIndex: undefined, hasTarget: false }
  for (let run = 0; run < 800; run++) {
    let text = choose(leaves)(choose(values))
    for (let depth = Math.floor(random() * 4); depth > 0; depth--) text = choose(wraps)(text, random)
    assert.ok(!redactText(text).includes('hunter2'), text)
    assert.ok(!strict.body(text, nowhere).includes('hunter2'), text)
  }
})

test('8.11, 24.12 strict masking shows neither what a job throws nor the details of its notes', () => {
  const identity = { id: 'run', begun: 0, sessionId: '', isSecure: false, ecid: '', rid: '0' }
  const transaction = { ...identity, job: 'NIGHTLY' }
  const error = new Error('ANN earns 1234')
  const message = `The job NIGHTLY failed: Error: ${error.message}.`
  const run = {
    kind: 'job',
    level: 'error',
    transaction,
    outcome: 'failed',
    attempt: 1,
    ended: 5,
    message,
    error,
  } as const
  const note = { kind: 'note', level: 'warning', transaction, message: 'paid', detail: { salary: 1234 } } as const
  for (const observation of [run, note]) {
    const text = JSON.stringify(writeEntry(observation, 3, 0, maskings.strict))
    assert.match(text, /NIGHTLY/)
    assert.doesNotMatch(text, /1234|ANN/)
    assert.match(JSON.stringify(writeEntry(observation, 3, 0, maskings.known)), /1234/)
  }
})

test('38.4 an address or a number that stands as a name in JSON is a value', () => {
  const of = (text: string) => (/^\d+$/.test(text) ? '9' : '~')
  const mask = (text: string) =>
    String(maskBody(Buffer.from(text), 'application/json', { isFull: true, isNamed: () => false, pseudonyms: { of } }))
  assert.equal(
    mask('{"kim@example.com":{"line1":"a","A8001":-12e5,"b":true}}'),
    '{"~":{"line1":"~","~":-9e5,"b":true}}',
  )
  assert.deepEqual(['"kim"', '12', 'null'].map(mask), ['"~"', '9', 'null'])
})

for (const xml of [
  '<a><login password="hun>ter2" user="readable"/></a>',
  "<a><login password='hun>ter2' user='readable'/></a>",
  '<a><password><value>hunter2</value><password>hunter2</password>hunter2</password><n>readable</n></a>',
  '<a><password/><password><i/>hunter2</password><n>readable</n></a>',
  '<input type=readable password=hunter2>',
])
  test(`38.4 credentials in XML and HTML are not recorded, nor is a value without --keep-values: ${xml}`, () => {
    const mask = (text: string, isFull: boolean) =>
      String(maskBody(Buffer.from(text), 'text/xml', { isFull, isNamed: () => false, pseudonyms: { of: () => '~' } }))
    const kept = mask(xml, false)
    assert.deepEqual([/ter2/.test(kept), kept.includes('readable')], [false, true], kept)
    assert.doesNotMatch(mask(`<!DOCTYPE a [<!ENTITY k "readable">]><?p k="readable"?>${xml}`, true), /ter2|readable/)
  })

for (const [type, text] of [
  ['text/plain', 'Authorization: Bearer hunter2hunter2\nreadable'],
  ['text/plain', 'GET https://readable/?a=1&access_token=hunter2 HTTP/1.1'],
  ['application/json', '{"next":"https://readable/?a=1&access%5Ftoken=hunter2#id_token=hunter2"}'],
  ['application/json', '{"db":"postgres://readable:hunter2@host/"}'],
  ['text/xml', '<a><link href="https://readable/?a=1&amp;api_key=hunter2"/></a>'],
  ['text/xml', '<?p Bearer hunter2hunter2?><!-- password: hunter2 hunter2 --><a>readable</a>'],
  ['text/xml', '<a><![CDATA[<password>hunter2 hunter2</password><n>readable</n>]]></a>'],
  ['text/xml', '<row><KEY1>pin</KEY1><LONGVALUE>hunter2</LONGVALUE></row><n>readable</n>'],
  ['text/html', '<input type="hidden" name="token" value="hunter2"> readable <f name="pin">hunter2</f>'],
  ['application/json', '\ufeff{"password":"hunter1 hunter2","n":"readable"}'],
  ['application/json', '{"a":"{\\"password\\":\\"hunter1 hunter2\\",\\"n\\":\\"readable\\"}"}'],
  ['application/json', '[{"name":"password","value":{"is":"hunter2"}},["pin","hunter2"],"readable"]'],
  ['application/json', `{"${['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiJhIn0', 'hunter2'].join('.')}":"readable"}`],
  ['application/json', ')]}\n{"password":"hunter1 hunter2","a":"pin=hunter2","n":"readable"}'],
  ['application/x-ndjson', '{"password":"hunter1 \\"hunter2","n":"readable"}\n'],
  ['text/xml', '<a><b>readable</b><c>&lt;password&gt;hunter2&lt;/password&gt;</c></a>'],
  ['text/plain', 'rows:\n- name: password\n  value: hunter2\n- name: readable\n'],
  [
    'multipart/mixed; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="pin"\r\n\r\nhunter2\r\n--x\r\n\r\nreadable',
  ],
  ['text/xml', '<a><field name="password">hunter2</field><b>readable</b></a>'],
  ['application/x-www-form-urlencoded', 'n=readable&password=hunter2&code=hunter2'],
  ['text/plain', 'readable\n-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n'],
  ['application/json', '{"n":"readable","pem":"-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----"}'],
  ['text/plain', 'readable http://peoplesoft.com/JOB_SYNC.v1/PARTNER/hunter2/PSFT_HR'],
  ['text/plain', 'readable "http://peoplesoft.com/JOB_SYNC.v1//hunter1 hunter2/"'],
  ['text/plain', 'readable https://www.peoplesoft.com:443/JOB_SYNC.v1//hunter2/PSFT_HR'],
  ['text/xml', '<a><b>readable</b><h>$argon2id$v=19$m=8,t=1,p=1$aHVudGVy$hunter2</h></a>'],
  ['application/json', '{"password":{"old":["hunter2",1],"new":null},"n":"readable"}'],
  ['text/plain', "password='hunter1 hunter2' url=pin=hunter2 readable"],
] as const)
  test(`38.4 credentials within a value are not recorded with --keep-values: ${JSON.stringify(text)}`, () => {
    const masking = { isFull: false, isNamed: () => false, pseudonyms: { of: () => '~' } }
    const kept = String(maskBody(Buffer.from(text), type, masking))
    if (type === 'application/json' && /^[[{\ufeff]/.test(text)) JSON.parse(kept.replace('\ufeff', ''))
    assert.deepEqual([/ter2/.test(kept), kept.includes('readable')], [false, true], kept)
  })

test('38.4 credentials and values in an encoding with the bytes of ASCII are masked; other encodings leave an empty body', () => {
  const mask = (bytes: Buffer, type: string, isFull: boolean) =>
    maskBody(bytes, type, { isFull, isNamed: () => false, pseudonyms: { of: () => '~' } })
  const xml = Buffer.from('<a><n>M\xfcller</n><password>hunter2</password></a>', 'latin1')
  assert.equal(
    mask(xml, 'text/xml; charset=ISO-8859-1', false)?.toString('latin1'),
    '<a><n>M\xfcller</n><password>[redacted]</password></a>',
  )
  assert.equal(mask(xml, 'text/xml', true)?.toString('latin1'), '<a><n>~</n><password>[redacted]</password></a>')
  const wide = Buffer.from('\ufeff{"password":"hunter2"}', 'utf16le')
  for (const isFull of [false, true]) assert.equal(mask(wide, 'application/json', isFull), undefined)
  const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff])
  assert.equal(mask(picture, 'image/png', false), picture)
  assert.equal(mask(picture, 'image/png', true), undefined)
})
