/** In which shapes callers send secrets, and what else they send beside them (specification 8.7). */
import type { Marks } from './secrets-marks.ts'

export interface Shape {
  readonly what: string
  readonly text: string | Buffer
}

const parameters =
  'password key sig code ticket signature X-Amz-Signature X-Amz-Credential SAMLResponse client_secret id_token access_token ' +
  'apiKey sid otp psToken user[password] p%61ssword'

export function queries({ secret, readable }: Marks): readonly Shape[] {
  const percent = (text: string) => text.replace(/./g, (each) => `%${each.charCodeAt(0).toString(16)}`)
  return parameters.split(' ').flatMap((name) => [
    { what: `query ${name}`, text: `n=${readable}&${name}=${secret(`query ${name}`)}` },
    { what: `query ${name}, encoded`, text: `${name}=${percent(secret(`query ${name}, encoded`))}&n=${readable}` },
  ])
}

const headerNames =
  'cookie ps_token idempotency-key x-signature x-hub-signature-256 x-functions-key x-api-key proxy-authorization ' +
  'x-amz-security-token x-session-id'

export function headers({ secret }: Marks): Readonly<Record<string, string>> {
  return Object.fromEntries(headerNames.split(' ').map((name) => [name, secret(`header ${name}`)]))
}

/** What no name gives away: a secret under `ig.log.masking=strict` alone. */
export function unnamed({ secret, readable }: Marks): readonly Shape[] {
  return [
    {
      what: 'an element',
      text: `<r><n>${readable}</n><a b="${secret('an attribute')}">${secret('an element')}</a></r>`,
    },
    { what: 'a member', text: JSON.stringify({ n: readable, a: [secret('a member')] }) },
    { what: 'a pair', text: `n=${readable}&a=${secret('a pair')}` },
    { what: 'prose', text: `${secret('prose')} and more` },
    { what: 'prose around', text: `{"n":"${readable}"} ${secret('prose behind')}` },
    { what: 'a comment', text: `<r><n>${readable}</n><!-- ${secret('a comment')} --></r>` },
  ]
}

export function bodies({ secret, readable }: Marks): readonly Shape[] {
  const units = (text: string) => text.replace(/./g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`)
  const references = (text: string) => text.replace(/./g, (each) => `&#x${each.charCodeAt(0).toString(16)};`)
  const shapes: Readonly<Record<string, (s: string) => string>> = {
    'XML element': (s) => `<r><n>${readable}</n><wsse:Password Type="t">${s}</wsse:Password></r>`,
    'XML character references': (s) => `<r><n>${readable}</n><password>${references(s)}</password></r>`,
    CDATA: (s) => `<r><n>${readable}</n><pin><![CDATA[</pin>${s}]]></pin></r>`,
    'XML in CDATA': (s) => `<r><n>${readable}</n><d><![CDATA[<token>${s}</token>]]></d></r>`,
    'XML in XML': (s) => `<r><n>${readable}</n><d>&lt;token&gt;${s}&lt;/token&gt;</d></r>`,
    'attribute in double quotes': (s) => `<r><n>${readable}</n><login password="${s}"/></r>`,
    'attribute in single quotes': (s) => `<r><n>${readable}</n><login password='${s}'/></r>`,
    'named field': (s) => `<r><n>${readable}</n><f value='${s}' name='password'/></r>`,
    'row of key and value': (s) => `<r><n>${readable}</n><row><key>password</key><value>${s}</value></row></r>`,
    'comment of XML': (s) => `<r><n>${readable}</n><!-- password is ${s} --></r>`,
    'XML that is cut off': (s) => `<r><n>${readable}</n><password>${s}`,
    JSON: (s) => JSON.stringify({ n: readable, deep: { newPassword: s } }),
    'JSON of escapes': (s) => `{"n":"${readable}","p\\u0061ssword":"${units(s)}"}`,
    'JSON in JSON': (s) => JSON.stringify({ n: readable, d: JSON.stringify({ psToken: s }) }),
    'XML in JSON': (s) => JSON.stringify({ n: readable, d: `<password>${s}</password>` }),
    'JSON in XML': (s) => `<r><n>${readable}</n><d>{"password":"${s}"}</d></r>`,
    'row of JSON': (s) => JSON.stringify([{ value: s, type: 'x', name: 'password' }, { name: readable }]),
    'JSON that is cut off': (s) => `{"n":"${readable}","password":"${s}`,
    form: (s) => `n=${readable}&password=${s}`,
    'JSON in a form': (s) => `n=${readable}&payload=${encodeURIComponent(JSON.stringify({ password: s }))}`,
    'authorization code': (s) => `code=${s}&n=${readable}`,
    part: (s) => `--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${s}\r\n--b--`,
    YAML: (s) => `n: ${readable}\ndb:\n  password: |\n    ${s}`,
    PEM: (s) => `${readable}\n-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n`,
    'PEM in JSON': (s) => JSON.stringify({ n: readable, k: `-----BEGIN EC PRIVATE KEY-----\n${s}\n-----END EC-----` }),
    'password hash': (s) => JSON.stringify({ n: readable, d: `$argon2id$v=19$m=65536,t=3,p=4$${s}$${s}` }),
    'bearer in prose': (s) => `${readable} was sent with Bearer ${s}`,
    'URL with a password': (s) => JSON.stringify({ n: readable, url: `https://me:${s}@example.com/` }),
  }
  const texts = Object.entries(shapes).map(([what, write]) => ({ what, text: write(secret(what)) }))
  const wide = Buffer.from(`\ufeff<r><password>${secret('UTF-16')}</password></r>`, 'utf16le')
  return [...texts, { what: 'UTF-16', text: wide }]
}
