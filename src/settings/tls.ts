/** Versions and cipher suites of TLS, and warnings about exposed listeners (specification 7.12 to 7.15). */
import type { SecureVersion } from 'node:tls'
import { nodeTls } from '../base/node-tls.ts'
import type { Problem } from '../model/problem.ts'
import { findKeyProblem } from '../tls/key-file.ts'
import { findPairError } from '../tls/pair.ts'

/** With forward secrecy and authenticated encryption only. */
export const modernSuites = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':')

export const ciphers = {
  values: 'OpenSSL cipher list',
  parse(text: string): string {
    if (text === modernSuites) return text
    try {
      nodeTls().createSecureContext({ ciphers: text })
      return text
    } catch {
      throw new Error('must be an OpenSSL cipher list: names of suites with colons between them')
    }
  },
}

/** Parsed to the value of the header. */
export const hsts = {
  values: 'time: 24h, 365d',
  parse(text: string): string {
    const [, digits, unit] = /^(\d{1,4}) ?([hd])$/.exec(text) ?? []
    if (digits === undefined) throw new Error('must be a time with its unit: 24h, 365d')
    return `max-age=${Number(digits) * (unit === 'd' ? 86_400 : 3_600)}`
  },
}

const versionRanges: Readonly<
  Record<string, { readonly minVersion: SecureVersion; readonly maxVersion: SecureVersion }>
> = {
  '1.2': { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  '1.2, 1.3': { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' },
  '1.3': { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
}

export const versions = {
  values: '1.2, 1.3, or both with a comma between them',
  parse(text: string) {
    const range =
      versionRanges[
        text
          .split(/[\s,]+/)
          .sort()
          .join(', ')
      ]
    if (range) return range
    throw new Error('must be 1.2, 1.3, or both with a comma between them')
  },
}

export interface Openness {
  readonly host: string
  /** Undefined without a plain listener. */
  readonly port: number | undefined
  /** Private keys, by setting. */
  readonly keys: Readonly<Record<string, string | undefined>>
}

/** Secrets that others on the network or machine could read. */
export function findOpenness({ host, port, keys }: Openness): { readonly keys: Problem[]; readonly plain: Problem[] } {
  const faulty = Object.entries(keys).flatMap(([path, file]) => {
    const problem = file === undefined ? undefined : findKeyProblem(file)
    return problem === undefined ? [] : [{ path, message: problem }]
  })
  const isPlain = port !== undefined && isEveryAddress(host)
  const message = `accepts calls in plain text from every network (${host}, port ${port}): passwords and tokens can be read in transit. Set ig.host to the address that your proxy reaches, or ig.port=off with ig.tls.cert and ig.tls.key`
  return { keys: faulty, plain: isPlain ? [{ path: 'ig.host', message }] : [] }
}

/** Normalized: URLs have one form for each address. */
function isEveryAddress(host: string): boolean {
  const url = `http://${host.includes(':') ? `[${host}]` : host}`
  return URL.canParse(url) && /^(?:0\.0\.0\.0|\[::(?:ffff:0:0)?\])$/.test(new URL(url).hostname)
}

/** A start passes its listeners; administration may be missing. */
export function findPairProblems({ tls, admin }: Listeners): readonly Problem[] {
  const pairs = { 'ig.tls.key': tls, 'ig.admin.tls.key': admin?.tls }
  return Object.entries(pairs).flatMap(([path, pair]) => {
    const message = pair && findPairError(pair)
    return message === undefined ? [] : [{ path, message }]
  })
}

/** The TLS listeners of the settings. */
interface Listeners {
  readonly tls: Pair | undefined
  readonly admin: { readonly tls: Pair | undefined } | undefined
}

type Pair = Parameters<typeof findPairError>[0]
