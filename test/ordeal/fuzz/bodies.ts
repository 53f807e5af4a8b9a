/** XML bodies of KEY_VALUE, sound and mutated: what was stored is what was answered with 200 (specification 5.8, 5.11, 5.12, 9.3). */
import { makeHostile } from '../../support/hostile.ts'
import type { Random, Tally } from '../ordeal.ts'
import { below, mutate, pick } from './random.ts'
import { type Answer, bytesOf, callMany, type Request } from './replies.ts'
import { connector, note, type Subject } from './subject.ts'

interface BodyCall extends Request {
  readonly id: string
  /** Of a sound body: what must be stored. Undefined of a mutated one. */
  readonly rows: number | undefined
  /** It has a DOCTYPE, and nothing else is wrong with it. */
  readonly isForbidden: boolean
}

/** Rows that were acknowledged by transaction; undefined where it is not known how many. */
export type AcknowledgedRows = Map<string, number | undefined>

const ids = ['DEMO', 'DEMO2'] as const
const statuses = new Set([200, 400, 413, 415])
const xmlPieces = [
  ...['<!DOCTYPE x>', '<!DOCTYPE x [<!ENTITY e "e">]>', '<!ENTITY e SYSTEM "file:///etc/passwd">', '&e;', '&amp', '&;'],
  ...[
    '&#0;',
    '&#x0;',
    '&#xD800;',
    '&#xFFFFFFFF;',
    '&#99999999999;',
    '&#x;',
    '&lt;',
    '&#x41;',
    '&#X41;',
    '&nbsp;',
    '&&',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<![CDATA[x]]>',
    '<!--',
    '-->',
    '<!-- -- -->',
    '<?xml version="1.0"?>',
    '<?xml?>',
    '<?x',
    '?>',
  ],
  ...[
    '<?xml version="1.1"?>',
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<?xml version="1.0" encoding="UTF-7"?>',
    '<',
  ],
  ...[
    '</',
    '/>',
    '</row>',
    '<row>',
    '</request>',
    '<request>',
    '<row/>',
    '<key>',
    '</key>',
    '<KEY>k</KEY>',
    '<a:row/>',
  ],
  ...[' xmlns=""', ' xmlns="x"', ' xmlns:a="x"', ' xmlns:a=""', ' xmlns:xml="x"', ' xmlns:xmlns="x"', ' a="1" a="2"'],
  ...[" a='", ' a="<"', ' a=b', ' a', '\u0000', '\u0001', '\u000b', '\ufffe', '\ufeff', '\u0085', '\u2028', '😀', 'é'],
]
const doctypes = [
  '<!DOCTYPE request>',
  '<?xml version="1.0"?>\n<!DOCTYPE request [<!ENTITY e "e">]>',
  '<!-- a -->\n<!DOCTYPE request SYSTEM "a">',
]
const types = [
  ...['text/xml; encoding="UTF-8"', 'text/xml', 'application/xml; charset=utf-8', 'text/xml; charset=iso-8859-1'],
  ...[
    'text/xml; charset=utf-16',
    'text/xml; charset="',
    'text/xml; charset=utf-7',
    'text/xml; charset=x;charset=y',
    'x',
  ],
]

export async function fuzzBodies(
  subject: Subject,
  count: number,
  random: Random,
  acknowledged: AcknowledgedRows,
): Promise<Tally> {
  const tally = { bodies: 0, unanswered: 0, serverErrors: 0, wrongOperator: 0, mistaken: 0, stored: 0, refused: 0 }
  await callMany(
    subject.url,
    count,
    { connections: 6, depth: 8 },
    () => makeCall(random),
    (answer, made) => {
      const verdict = judge(answer, made, acknowledged)
      tally.bodies += 1
      tally[verdict] += 1
      if (verdict !== 'stored' && verdict !== 'refused') note(subject, `body: ${verdict}`, made.bytes, bytesOf(answer))
    },
  )
  return tally
}

type Verdict = 'unanswered' | 'serverErrors' | 'wrongOperator' | 'mistaken' | 'stored' | 'refused'

function judge(answer: Answer, { id, rows, isForbidden }: BodyCall, acknowledged: AcknowledgedRows): Verdict {
  if (!answer) return 'unanswered'
  if (answer.status >= 500) return 'serverErrors'
  if (!statuses.has(answer.status) || (rows !== undefined && answer.status !== 200)) return 'mistaken'
  if (isForbidden && answer.status !== 400) return 'mistaken'
  if (answer.status !== 200) return 'refused'
  const text = answer.body.toString()
  const [, transaction = ''] = /<TRANSACTION_ID>([^<]*)</.exec(text) ?? []
  acknowledged.set(transaction, rows)
  return text.includes(`<OPRID>${id}</OPRID>`) ? 'stored' : 'wrongOperator'
}

function makeCall(random: Random): BodyCall {
  const id = pick(random, ids)
  const isForbidden = random() < 0.05
  const isSound = !isForbidden && random() < 0.3
  const rows = below(random, 4)
  const sound = writeRequest(random, rows)
  const body = isForbidden
    ? Buffer.from(`${pick(random, doctypes)}${sound}`)
    : isSound
      ? encodeSound(random, sound)
      : encodeAny(random, change(random, sound))
  const type = isSound || isForbidden ? 'text/xml; encoding="UTF-8"' : pick(random, types)
  const encoding =
    !isSound && !isForbidden && random() < 0.02
      ? `Content-Encoding: ${pick(random, ['gzip', 'br', 'identity', ''])}\r\n`
      : ''
  const authorization = Buffer.from(`${id}:${id.toLowerCase()}-password`).toString('base64')
  const head = [
    `POST ${connector}/KEY_VALUE.v1 HTTP/1.1\r\nHost: a\r\nAuthorization: Basic ${authorization}\r\n`,
    `Content-Type: ${type}\r\n${encoding}Content-Length: ${body.length}\r\n\r\n`,
  ]
  return { bytes: Buffer.concat([Buffer.from(head.join('')), body]), id, rows: isSound ? rows : undefined, isForbidden }
}

function writeRequest(random: Random, rows: number): string {
  const written = Array.from({ length: rows }, () => {
    const fields = [`<key>xml ${writeText(random)}</key>`, `<Value>${writeText(random)}</Value>`, `<other a="1"/>`]
    return `<row>${fields.slice(below(random, 3)).join(pick(random, ['', '\n  ', '<!-- x -->', '<?pi x?>']))}</row>`
  })
  const around = pick(random, ['', '\n', '<!-- a -->', '<other><row><key>no</key></row></other>'])
  return `<request${pick(random, ['', ' a="1"', ' xmlns:a="urn:a"', '\n'])}>${around}${written.join(around)}</request>`
}

function writeText(random: Random): string {
  if (random() < 0.1) return `<![CDATA[${'<&>'.repeat(below(random, 5))}]]>`
  const text = (random() < 0.5 ? makeHostile(random) : `key ${random()}`).toWellFormed().slice(0, 120)
  const sound = text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
  return sound.replace(/[<>&]/g, () => pick(random, ['&#38;', '&#x3c;', '&gt;', '&quot;']))
}

function change(random: Random, sound: string): string {
  const bombs = [
    () => `<request>${'<a>'.repeat(below(random, 600))}`,
    () => `<request>${'<a>'.repeat(300)}${'</a>'.repeat(300)}</request>`,
    () => sound.replace('>', () => Array.from({ length: 400 }, (_, at) => ` a${at}="x"`).join('')),
    () => `<request>${'<row/>'.repeat(below(random, 300))}</request>`,
    () => `<request><row><key>${'x'.repeat(230 + below(random, 50))}</key></row></request>`,
    () => makeHostile(random).repeat(below(random, 40)),
  ]
  if (random() < 0.08) return pick(random, bombs)()
  let text = sound
  for (let left = pick(random, [1, 1, 1, 2, 4]); left > 0; left -= 1) {
    const piece = random() < 0.85 ? pick(random, xmlPieces) : makeHostile(random)
    text = mutate(random, text, piece)
  }
  return text
}

const declared = (encoding: string, text: string) => `<?xml version="1.0" encoding="${encoding}"?>${text}`
const swap = (bytes: Buffer) => (bytes.length % 2 === 0 ? bytes.swap16() : bytes)
const utf16le = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

function encodeSound(random: Random, text: string): Buffer {
  const encodings = [
    () => Buffer.from(text),
    () => Buffer.from(text),
    () => Buffer.from(`\ufeff${text}`),
    () => Buffer.from(declared('UTF-8', text)),
    () => utf16le(text),
    () => swap(utf16le(declared('UTF-16', text))),
    () => Buffer.from(declared('ISO-8859-1', text.replace(/[^\0-\xff]/g, 'x')), 'latin1'),
  ]
  return pick(random, encodings)()
}

function encodeAny(random: Random, text: string): Buffer {
  const bytes = random() < 0.7 ? Buffer.from(text) : encodeSound(random, text)
  if (random() < 0.75 || bytes.length === 0) return bytes
  const broken = Buffer.from(bytes)
  for (let left = 1 + below(random, 3); left > 0; left -= 1) broken[below(random, broken.length)] = below(random, 256)
  return random() < 0.3 ? broken.subarray(0, below(random, broken.length)) : broken
}
