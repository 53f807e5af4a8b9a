/** The listener of administration. */
import { addresses, file, host, portOrOff } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const admin = {
  host: {
    key: 'ig.admin.host',
    kind: host,
    default: '127.0.0.1',
    help: 'address of administration; beyond loopback, TLS only',
    see: '18.1',
  },
  port: {
    key: 'ig.admin.port',
    kind: portOrOff,
    default: '8081',
    help: 'port of administration; off disables it',
    see: '18.1',
  },
  allow: {
    key: 'ig.admin.allow',
    kind: addresses,
    help: 'addresses and networks that may use administration; unset: all that reach its listener',
    see: '28.10',
  },
  tls: {
    cert: {
      key: 'ig.admin.tls.cert',
      kind: file,
      help: 'PEM certificate chain: administration over TLS',
      see: '18.3',
    },
    key: { key: 'ig.admin.tls.key', kind: file, help: 'PEM private key of ig.admin.tls.cert', see: '18.3' },
  },
} as const satisfies Rows
