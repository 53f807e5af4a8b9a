/** Which headers a handler may set, and with which values (specification 5.3, 7.1). */

/** Framing, negotiation, and what `contentType` says. */
const gatewayHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** @param platformName if known: the gateway owns its headers too */
export function findHeaderProblem(name: string, value: string, platformName?: string): string | undefined {
  const key = name.toLowerCase()
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) return `${JSON.stringify(name)} is not a header name`
  const isPlatforms = platformName !== undefined && key.startsWith(`x-${platformName}-`)
  if (gatewayHeaders.has(key) || key.startsWith('ig-') || isPlatforms)
    return `${name} is a header that the gateway sets`
  return findValueProblem(name, value)
}

export function requireHeaderValue(name: string, value: string): string {
  const problem = findValueProblem(name, value)
  if (problem === undefined) return value
  throw new TypeError(problem)
}

/** A line break could start another header. */
function findValueProblem(name: string, value: string): string | undefined {
  if (typeof value !== 'string') return `The value of the header ${name} must be a string, not ${describe(value)}`
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return undefined
  return `The value of the header ${name} has characters that HTTP does not allow`
}

export function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value
}
