/** Keys of the original's properties file that mean nothing here, and are no mistakes either (specification 8.2). */
export function isOriginalKey(key: string): boolean {
  return originalKeys.some((pattern) =>
    pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern,
  )
}

/** With `*` for any ending: connections to its other servers and connectors. */
const originalKeys: readonly string[] = [
  'ig.isc.*',
  'ig.connector.*',
  'ig.connection*',
  'ig.transaction*',
  'ig.certificate*',
  'ig.jms.*',
  'ig.JMS.*',
  'ig.AS2.*',
  'ig.as2.*',
  'ig.ftp*',
  'ig.smtp*',
  'ig.pop3*',
  'ig.proxy*',
  'ig.nonProxyHosts',
  'ig.http.*',
  'ig.version',
  'ig.dtd*',
  'ig.log.backup*',
  'ig.log.protocol',
  'ig.passwordEncryption*',
  'ig.inboundIPAddresses*',
  'ig.flushCache*',
  'ig.loadBalance*',
  'ig.wss*',
  'secureFileKeystorePath',
  'secureFileKeystorePasswd',
]
