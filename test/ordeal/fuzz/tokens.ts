/** Access tokens: only those that the issuer signed for a known operator are accepted (specification 3.11 to 3.19). */
import { createHmac, generateKeyPairSync, KeyObject, sign as signBytes } from 'node:crypto'
import { makeHostile } from '../../support/hostile.ts'
import type { SigningKey, TestIssuer } from '../../support/issuer.ts'
import type { Random, Tally } from '../ordeal.ts'
import { below, mutate, pick } from './random.ts'
import { type Answer, bytesOf, callMany, headerOf, type Request } from './replies.ts'
import { connector, note, type Subject } from './subject.ts'

/** The operator as whom a call runs; null: refused; undefined: either, but as no other than `sub` says. */
type ExpectedOperator = string | null | undefined

interface TokenCall extends Request {
  readonly expected: ExpectedOperator
  readonly sub: string
}

type Json = Readonly<Record<string, unknown>>

interface Signer {
  readonly alg: string
  readonly kid: string
  readonly pem: string
  sign(text: string): string
}

interface Base {
  readonly random: Random
  readonly signer: Signer
  readonly header: Json
  readonly claims: Json
  readonly seconds: number
}

const ids = ['DEMO', 'DEMO2'] as const
const foreign = signerOf(
  { alg: 'ES256', kid: 'foreign', pem: '' },
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
)

export async function fuzzTokens(subject: Subject, count: number, random: Random): Promise<Tally> {
  const tally = { tokens: 0, unanswered: 0, serverErrors: 0, wrongOperator: 0, mistaken: 0, accepted: 0, rejected: 0 }
  const signers = subject.issuer.keys.map(fromKey)
  const make = () => makeCall(random, signers, subject.issuer)
  await callMany(subject.url, count, { connections: 6, depth: 12 }, make, (answer, made) => {
    const verdict = judge(answer, made)
    tally.tokens += 1
    tally[verdict] += 1
    if (verdict !== 'accepted' && verdict !== 'rejected')
      note(subject, `token: ${verdict}`, made.bytes, bytesOf(answer))
  })
  return tally
}

type Verdict = 'unanswered' | 'serverErrors' | 'wrongOperator' | 'mistaken' | 'accepted' | 'rejected'

function judge(answer: Answer, { expected, sub }: TokenCall): Verdict {
  if (!answer) return 'unanswered'
  if (answer.status >= 500) return 'serverErrors'
  const isRejected = answer.status === 401 && answer.body.length === 0 && headerOf(answer, 'ig-refusal') === undefined
  if (isRejected || answer.status === 400 || answer.status === 431) return expected ? 'mistaken' : 'rejected'
  const [, user] = /^\{"currentUser":"([^"]*)"/.exec(answer.body.toString()) ?? []
  if (answer.status !== 200 || user === undefined || expected === null) return 'mistaken'
  return user === (expected ?? sub) ? 'accepted' : 'wrongOperator'
}

function makeCall(random: Random, signers: readonly Signer[], { issuer }: TestIssuer): TokenCall {
  const sub = pick(random, ids)
  const signer = random() < 0.1 ? pick(random, signers) : (pick(random, signers.slice(2)) as Signer) // RSA takes long
  const seconds = Math.floor(Date.now() / 1000)
  const claims = { iss: issuer, sub, email: `${sub.toLowerCase()}@example.com`, iat: seconds, exp: seconds + 3600 }
  const header = { alg: signer.alg, kid: signer.kid }
  const { authorization, expected } = makeToken({
    random,
    signer,
    header,
    claims: { ...claims, jti: random() },
    seconds,
  })
  const path = pick(random, ['METADATA_OAUTH2', 'METADATA'])
  const line = authorization.replace(/[^\x20-\x7e]/g, '?')
  const bytes = Buffer.from(
    `GET ${connector}/${path}.v1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${line}\r\n\r\n`,
    'latin1',
  )
  return { bytes, expected: expected === 'sub' ? sub : expected, sub }
}

interface Token {
  readonly authorization: string
  /** `sub`: the operator of the token. */
  readonly expected: ExpectedOperator
}

function makeToken(base: Base): Token {
  const { random } = base
  const share = random()
  if (share < 0.12) return { authorization: `Bearer ${signed(base)}`, expected: 'sub' }
  if (share < 0.3) return changeText(base)
  if (share < 0.42) return pick(random, unsigned)(base)
  if (share < 0.62) return pick(random, headers)(base)
  if (share < 0.94) return pick(random, payloads)(base)
  return pick(random, schemes)(base)
}

const encode = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

function signed({ signer, header, claims }: Base, change: { header?: unknown; claims?: unknown; by?: Signer } = {}) {
  const text = `${encode(change.header ?? header)}.${encode(change.claims ?? claims)}`
  return `${text}.${(change.by ?? signer).sign(text)}`
}

/** Any other text than what was signed. */
function changeText(base: Base): Token {
  const { random } = base
  const token = signed(base)
  const pieces = ['.', '..', '=', '-', '_', '+', '/', 'A', 'eyJ', '%2e', ',', ' ', '\t']
  let changed = token
  while (changed.trim() === token)
    changed =
      random() < 0.3
        ? token.slice(0, -1) + pick(random, [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'])
        : mutate(random, token, pick(random, pieces))
  return { authorization: `Bearer ${changed}`, expected: null }
}

type Make = (base: Base) => Token
const rejected = (token: string): Token => ({ authorization: `Bearer ${token}`, expected: null })
const accepted = (token: string): Token => ({ authorization: `Bearer ${token}`, expected: 'sub' })
const either = (token: string): Token => ({ authorization: `Bearer ${token}`, expected: undefined })

/** The key is another's, or none. */
const unsigned: readonly Make[] = [
  (base) => rejected(`${encode({ alg: pick(base.random, ['none', 'None', 'NONE', '']) })}.${encode(base.claims)}.`),
  (base) => rejected(signed(base, { header: { ...base.header, alg: 'none' } })),
  (base) => rejected(signed(base, { by: foreign })),
  (base) => rejected(signed(base, { by: foreign, header: { alg: 'ES256', kid: 'foreign' } })),
  (base) => rejected(signed(base, { by: foreign, header: { alg: 'ES256' } })),
  (base) => {
    const text = `${encode({ ...base.header, alg: 'HS256' })}.${encode(base.claims)}`
    const secret = pick(base.random, [
      base.signer.pem,
      base.signer.pem.trim(),
      ` ${base.signer.pem}`,
      base.signer.kid,
      '',
    ])
    return rejected(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`)
  },
  (base) => rejected(`${encode(base.header)}.${encode(base.claims)}.${encode('x'.repeat(below(base.random, 80)))}`),
  (base) => rejected(`${signed(base)}.${encode(base.claims)}`),
  (base) => rejected(`${encode(base.header)}..${base.signer.sign(`${encode(base.header)}.`)}`),
]

const headerOfBase = (base: Base, more: Json) => signed(base, { header: { ...base.header, ...more } })

/** Signed by the issuer, with a header that it would not write. */
const headers: readonly Make[] = [
  (base) => rejected(headerOfBase(base, { kid: makeHostile(base.random).toWellFormed() })),
  (base) =>
    rejected(headerOfBase(base, { kid: pick(base.random, ['', '../key', "' or 1=1", '__proto__', 'constructor']) })),
  (base) => either(headerOfBase(base, { kid: pick<unknown>(base.random, [1, null, [], {}, true, [base.signer.kid]]) })),
  (base) => accepted(signed(base, { header: { alg: base.signer.alg } })),
  (base) =>
    accepted(headerOfBase(base, { typ: pick(base.random, ['JWT', 'at+jwt', 'application/at+jwt', 'AT+JWT', 'jwt']) })),
  (base) =>
    rejected(headerOfBase(base, { typ: pick(base.random, ['ID', 'logout+jwt', 'secevent+jwt', 'dpop+jwt', 'JOSE']) })),
  (base) => either(headerOfBase(base, { typ: pick<unknown>(base.random, [1, null, [], {}, '', 'JWT ']) })),
  (base) =>
    rejected(
      headerOfBase(base, { alg: pick(base.random, ['HS256', 'HS512', 'none', 'RS1', 'ES256K', 'dir', 'A128GCM']) }),
    ),
  (base) => rejected(headerOfBase(base, { alg: pick<unknown>(base.random, [1, null, [], {}, '', [base.signer.alg]]) })),
  (base) => rejected(headerOfBase(base, { crit: pick<unknown>(base.random, [['x'], ['exp'], [], 'x', [1], ['b64']]) })),
  (base) => rejected(headerOfBase(base, { b64: false, crit: ['b64'] })),
  (base) =>
    accepted(headerOfBase(base, { jku: 'http://127.0.0.1:1/jwks', x5u: 'http://127.0.0.1:1/', x5c: ['x'], jwk: {} })),
  (base) =>
    rejected(
      signed(base, {
        by: foreign,
        header: { ...base.header, alg: 'ES256', jwk: { kty: 'EC' }, jku: 'http://127.0.0.1:1/' },
      }),
    ),
  (base) => rejected(signed(base, { header: makeHostile(base.random) })),
  (base) =>
    rejected(
      signed(base, { header: pick<unknown>(base.random, [[], 1, 'null', '[]', '{', '{}', '"x"', '[[[['.repeat(99)]) }),
    ),
  (base) => accepted(signed(base, { header: ` \n${JSON.stringify(base.header, null, 2)}\t` })),
]

const withClaims = (base: Base, more: Json) =>
  signed(base, { claims: JSON.parse(JSON.stringify({ ...base.claims, ...more })) })
const strange = [
  null,
  1,
  -1,
  0,
  true,
  false,
  [],
  {},
  '',
  ' ',
  'x',
  [null],
  { a: 1 },
  '1e999',
  '2030-01-01',
  [[]],
  'NaN',
]

/** Signed by the issuer, about another operator, another time, another purpose, or nothing. */
const payloads: readonly Make[] = [
  (base) => rejected(withClaims(base, { iss: pick<unknown>(base.random, strange) })),
  (base) =>
    rejected(
      withClaims(base, { iss: `${base.claims.iss}${pick(base.random, ['/', ' ', '.', '?', '#', '\n', '/x'])}` }),
    ),
  (base) => rejected(withClaims(base, { iss: undefined })),
  (base) => rejected(withClaims(base, { exp: pick<unknown>(base.random, [undefined, ...strange]) })),
  (base) => rejected(withClaims(base, { exp: base.seconds - 60 - below(base.random, 1e6) })),
  (base) => accepted(withClaims(base, { exp: base.seconds + 600 + below(base.random, 1e9) })),
  (base) => either(withClaims(base, { exp: base.seconds - below(base.random, 60) })),
  (base) => either(signed(base, { claims: JSON.stringify(base.claims).replace(/"exp":\d+/, '"exp":1e400') })),
  (base) => rejected(withClaims(base, { nbf: base.seconds + 600 + below(base.random, 1e6) })),
  (base) => rejected(withClaims(base, { iat: base.seconds + 600 + below(base.random, 1e6) })),
  (base) => rejected(withClaims(base, { nbf: pick<unknown>(base.random, ['x', [], {}, true, '1']) })),
  (base) => accepted(withClaims(base, { nbf: base.seconds - below(base.random, 1e6) })),
  (base) => rejected(withClaims(base, { sub: pick<unknown>(base.random, [undefined, ...strange]) })),
  (base) => rejected(withClaims(base, { sub: makeHostile(base.random).toWellFormed() })),
  (base) =>
    rejected(
      withClaims(base, {
        sub: pick(base.random, ['demo', 'DEMO ', ' DEMO', 'DEMO\0', 'GUEST', 'NOPERM', 'LOCKED', 'ＤＥＭＯ']),
      }),
    ),
  (base) => rejected(withClaims(base, { sub: base.claims.sub === 'DEMO' ? 'DEMO2' : 'DEMO' })),
  (base) => rejected(withClaims(base, { email: pick<unknown>(base.random, [undefined, ...strange]) })),
  (base) =>
    rejected(
      withClaims(base, { email: pick(base.random, ['DEMO@example.com', ' demo@example.com', 'noperm@example.com']) }),
    ),
  (base) => rejected(withClaims(base, { email: [base.claims.email] })),
  (base) => rejected(withClaims(base, { typ: pick(base.random, ['ID', 'Refresh', 'Offline', 'Logout']) })),
  (base) => rejected(withClaims(base, { token_use: pick(base.random, ['id', 'refresh', 'ACCESS', '']) })),
  (base) => rejected(withClaims(base, { [pick(base.random, ['at_hash', 'c_hash'])]: 'x' })),
  (base) => rejected(withClaims(base, { email_verified: pick<unknown>(base.random, [false, 'false']) })),
  (base) => accepted(withClaims(base, { email_verified: true, token_use: 'access', typ: 'Bearer', nonce: 'x' })),
  (base) =>
    accepted(withClaims(base, { aud: pick<unknown>(base.random, ['x', ['x', 'y']]), scope: makeHostile(base.random) })),
  (base) =>
    accepted(withClaims(base, { operator: 'DEMO', oprid: 'DEMO', roles: ['admin'], [`x-${base.random()}`]: 'x' })),
  (base) => rejected(signed(base, { claims: `{"__proto__":${JSON.stringify(base.claims)}}` })),
  (base) => either(signed(base, { claims: JSON.stringify(base.claims).replace('"sub":', '"sub":"NOPERM","sub":') })),
  (base) => rejected(signed(base, { claims: makeHostile(base.random) })),
  (base) =>
    rejected(
      signed(base, { claims: pick(base.random, ['', '[]', '{}', 'null', '1', '"x"', '{', '['.repeat(20_000)]) }),
    ),
  (base) => accepted(signed(base, { claims: ` \n${JSON.stringify(base.claims, null, 2)}\t` })),
  (base) => rejected(signed(base, { claims: [base.claims] })),
]

const schemes: readonly Make[] = [
  (base) => ({
    authorization: `${pick(base.random, ['bearer', 'BEARER', 'Bearer '])} ${signed(base)}`,
    expected: 'sub',
  }),
  (base) => ({
    authorization: `${pick(base.random, ['Token', 'JWT', 'Bearer:', 'Bear er', ''])} ${signed(base)}`,
    expected: null,
  }),
  (base) => ({ authorization: signed(base), expected: null }),
  (base) => ({ authorization: `Bearer${signed(base)}`, expected: null }),
  (base) => ({ authorization: `Bearer ${signed(base)}, Bearer ${signed(base)}`, expected: null }),
  (base) => ({ authorization: `Bearer ${signed(base)} ${signed(base)}`, expected: null }),
  (base) => ({ authorization: `Bearer "${signed(base)}"`, expected: null }),
  (base) => ({ authorization: `Bearer ${makeHostile(base.random)}`, expected: null }),
  (base) => ({ authorization: `Bearer ${'A'.repeat(below(base.random, 20_000))}`, expected: null }),
  (base) => ({ authorization: `Bearer ${'a.'.repeat(below(base.random, 9_000))}`, expected: null }),
]

function fromKey({ alg, kid = '', pem, privateKey }: SigningKey): Signer {
  return signerOf({ alg, kid, pem }, KeyObject.from(privateKey))
}

function signerOf(facts: Omit<Signer, 'sign'>, key: KeyObject): Signer {
  const { alg } = facts
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  const options = alg.startsWith('PS')
    ? { key, padding: 6, saltLength: 32 } // RSA_PKCS1_PSS_PADDING
    : { key, dsaEncoding: 'ieee-p1363' as const }
  return { ...facts, sign: (text) => signBytes(hash, Buffer.from(text), options).toString('base64url') }
}
