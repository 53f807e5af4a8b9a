/** Why another server gave no answer, for the log (specification 36.7). */

type Explanation = (error: NodeJS.ErrnoException) => string

const explanations: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: () => 'refuses connections',
  ENOTFOUND: () => 'has no address: its name is not known',
  EAI_AGAIN: () => 'has no address at the moment: the name service does not answer',
  UND_ERR_CONNECT_TIMEOUT: () => 'does not accept a connection in time',
  UND_ERR_SOCKET: () => 'closed the connection before its answer was complete',
  ECONNRESET: () => 'reset the connection before its answer was complete',
  UND_ERR_HEADERS_OVERFLOW: () => 'sends more headers than ig.limits.headers allows',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: () => 'sends another number of bytes than its Content-Length states',
  CERT_HAS_EXPIRED: () => 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: () => 'has a certificate for another name',
}

export function explainUpstream(origin: string, error: unknown): string {
  const { code = '', message, name } = error as NodeJS.ErrnoException
  const explained = explanations[code]?.(error as NodeJS.ErrnoException)
  if (explained !== undefined) return `${origin} ${explained} (${code})`
  if (name === 'HTTPParserError') return `${origin} sends an answer that is not valid HTTP: ${message}`
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(code)) return `${origin} has a certificate that is not accepted (${code})`
  return `${origin} could not be called: ${message}${code && ` (${code})`}`
}
