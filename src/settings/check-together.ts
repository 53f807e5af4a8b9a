/** Errors that involve several settings (specification 7.14, 7.15, 8.3, 18.3, 34.1). */
import { isLoopback } from '../base/loopback.ts'
import { listContributions } from '../features.ts'
import type { Problem } from '../model/problem.ts'
import type { TableValues } from './table.ts'
import { findOpenness } from './tls.ts'

/** Addresses for documentation: no proxy has one. */
const everyone = ['192.0.2.1', '2001:db8::1']

const checks = listContributions<(values: TableValues) => Iterable<Problem>>('checkSettings')

export function checkTogether(values: TableValues, warnings: Problem[]): Problem[] {
  const { host, port, tls, proxies, admin, log, secretKey, secretKeyPrevious } = values
  const problems: Problem[] = []
  if (secretKeyPrevious && !secretKey)
    problems.push({ path: 'ig.secretKey', message: 'is missing: ig.secretKey.previous is the key before it' })
  for (const [place, { cert, key }] of [['ig.tls', tls] as const, ['ig.admin.tls', admin.tls] as const]) {
    if (cert !== undefined && key === undefined)
      problems.push({ path: `${place}.key`, message: `is missing: ${place}.cert needs its private key` })
    if (key !== undefined && cert === undefined)
      problems.push({ path: `${place}.cert`, message: `is missing: ${place}.key needs its certificate` })
  }
  if (admin.port !== undefined && !isLoopback(admin.host) && admin.tls.cert === undefined) {
    const message = `is missing: beyond loopback (ig.admin.host=${admin.host}) administration needs TLS. Set certificate and key, or ig.admin.host=127.0.0.1, or ig.admin.port=off`
    problems.push({ path: 'ig.admin.tls.cert', message })
  }
  problems.push(...checkProvider(admin))
  if (port === undefined && tls.cert === undefined) {
    const message = 'is off, and there is no TLS listener: set ig.tls.cert and ig.tls.key, or a port'
    problems.push({ path: 'ig.port', message })
  }
  if (tls.clientCa !== undefined && tls.cert === undefined && !proxies.clientCertificates)
    problems.push({ path: 'ig.tls.cert', message: 'is missing: ig.tls.clientCa is for the TLS listener' })
  if (tls.clientCrl !== undefined && tls.clientCa === undefined)
    problems.push({ path: 'ig.tls.clientCa', message: 'is missing: ig.tls.clientCrl revokes its certificates' })
  if (proxies.protocol && !proxies.trusted) {
    const message = 'is missing: with ig.proxyProtocol=true every connection from another address is closed'
    problems.push({ path: 'ig.trustedProxies', message })
  }
  if (proxies.clientCertificates) {
    const needed = 'ig.proxy.clientCertificates=true'
    if (tls.clientCa === undefined)
      problems.push({ path: 'ig.tls.clientCa', message: `is missing: ${needed} verifies certificates against it` })
    if (!proxies.trusted)
      problems.push({ path: 'ig.trustedProxies', message: `is missing: ${needed} reads Client-Cert from them alone` })
    if (proxies.protocol)
      problems.push({ path: 'ig.proxyProtocol', message: `must be false with ${needed}: no header is read then` })
  }
  if (proxies.trusted && everyone.some((address) => proxies.trusted?.includes(address))) {
    const message = 'trusts every address: every caller can claim any address, scheme and host. Name the proxies alone'
    warnings.push({ path: 'ig.trustedProxies', message })
  }
  const open = findOpenness({ host, port, keys: { 'ig.tls.key': tls.key, 'ig.admin.tls.key': admin.tls.key } })
  warnings.push(...open.plain)
  if (tls.strictFiles) problems.push(...open.keys)
  else warnings.push(...open.keys)
  for (const check of checks) problems.push(...check(values))
  if (log.messageLogFile === log.errorLogFile) {
    problems.push({ path: 'ig.errorLog.filename', message: 'must differ from ig.messageLog.filename' })
  }
  return problems
}

function checkProvider({ passwords, oidc }: TableValues['admin']): readonly Problem[] {
  const { issuer, clientId, administrators, operators, viewers } = oidc
  const at = (key: string, message: string) => [{ path: `ig.admin.${key}`, message }]
  if (issuer === undefined)
    return passwords ? [] : at('passwords', 'is off, and no one could sign in: set ig.admin.oidc.issuer')
  return [
    ...(clientId === undefined ? at('oidc.clientId', 'is missing: ig.admin.oidc.issuer needs it') : []),
    ...((administrators ?? operators ?? viewers)
      ? []
      : at('oidc.administrators', 'is missing, as are operators and viewers: no one would have a role')),
  ]
}
