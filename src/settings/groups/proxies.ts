/** Proxies before the gateway whose word about a call counts. */
import { addresses, oneOf, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const proxies = {
  trusted: {
    key: 'ig.trustedProxies',
    kind: addresses,
    help: "addresses and networks of proxies; only these may state the caller's address, scheme and host",
    see: '28.1',
  },
  header: {
    key: 'ig.trustedProxies.header',
    kind: oneOf('x-forwarded', 'forwarded'),
    default: 'x-forwarded',
    help: 'the headers that the trusted proxies overwrite: X-Forwarded-For, -Proto, -Host; or Forwarded (RFC 7239)',
    see: '28.2',
  },
  protocol: {
    key: 'ig.proxyProtocol',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'every connection begins with a header of the PROXY protocol (1 or 2) from a trusted proxy; others are closed',
    see: '28.6',
  },
  clientCertificates: {
    key: 'ig.proxy.clientCertificates',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'reads Client-Cert (RFC 9440) of trusted proxies over TLS or loopback; they must delete what callers send; needs ig.tls.clientCa',
    see: '28.15',
  },
} as const satisfies Rows
