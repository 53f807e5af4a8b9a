/** The TLS listener of calls; administration uses the same versions and suites. */
import { file, port, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'
import { ciphers, hsts, modernSuites, versions } from '../tls.ts'

export const tls = {
  cert: { key: 'ig.tls.cert', kind: file, help: 'PEM certificate chain: opens the TLS listener', see: '3.10' },
  key: { key: 'ig.tls.key', kind: file, help: 'PEM private key of ig.tls.cert', see: '3.10' },
  port: { key: 'ig.tls.port', kind: port, default: '8443', help: 'port of the TLS listener' },
  versions: {
    key: 'ig.tls.versions',
    kind: versions,
    default: '1.2, 1.3',
    help: 'TLS versions, also of administration',
    see: '7.12',
  },
  ciphers: {
    key: 'ig.tls.ciphers',
    kind: ciphers,
    default: modernSuites,
    help: 'cipher suites, also of administration',
    see: '7.12',
  },
  clientCa: {
    key: 'ig.tls.clientCa',
    kind: file,
    help: 'PEM certificates of the authorities for client certificates (verification Certificate)',
    see: '28.14',
  },
  clientCrl: {
    key: 'ig.tls.clientCrl',
    kind: file,
    help: 'PEM revocation lists of these authorities',
    see: '28.14',
  },
  hsts: {
    key: 'ig.tls.hsts',
    kind: hsts,
    help: 'responses over TLS tell browsers to use TLS only, for this time (Strict-Transport-Security)',
    see: '28.11',
  },
  /** Refuses a private key that other users can read. */
  strictFiles: {
    key: 'ig.tls.strictFiles',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'refuses a private key that other users can read, instead of warning',
    see: '7.14',
  },
} as const satisfies Rows
