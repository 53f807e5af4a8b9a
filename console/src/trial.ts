/** A call of Try it as text: its headers, and as a command line (specification 19.11). */
import { verificationOf } from '../../src/model/verification.ts'
import type { Schemas } from './api/client.ts'
import type { OperationEntry } from './api/configuration.ts'

export type Trial = Schemas['TrialInput']
export const methods: Trial['method'][] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
export type Verification = OperationEntry['value']['verification']

/** What a command line has of a call. */
export type CurlCall = Pick<Trial, 'method' | 'path' | 'operator'> & Partial<Pick<Trial, 'headers' | 'body'>>

/** A call as it is filled in. */
export interface Input extends Omit<Required<Trial>, 'headers' | 'operator'> {
  /** Undefined until a caller is chosen. */
  readonly operator: Trial['operator'] | undefined
  /** One per line. */
  readonly headers: string
  /** That of the operation, if it is known. */
  readonly verification: Verification | undefined
}

export function readHeaders(text: string): Trial['headers'] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const colon = line.indexOf(':')
    return [
      { name: colon < 0 ? line : line.slice(0, colon).trim(), value: colon < 0 ? '' : line.slice(colon + 1).trim() },
    ]
  })
}

/** @param base up to the node @param operator null: no credentials */
export function writeCurl(
  base: string,
  { method, path, operator, headers = [], body = '' }: CurlCall,
  verification = 'Basic',
): string {
  const words = [
    'curl -i',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : [`-X ${method}`]),
    ...(operator ? [writeCredentials(operator, verification)] : []),
    ...headers.map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' || method === 'GET' || method === 'HEAD' ? [] : [`--data-raw ${quote(body)}`]),
    quote(base + (path.startsWith('/') ? path : `/${path}`)),
  ]
  return words.join(' ')
}

/** Those with a token take it from a variable of the shell. */
function writeCredentials(operator: string, verification: string): string {
  const [mode] = verificationOf(verification).takes
  return verificationOf(mode).curl({ user: quote(operator) })
}

/** One word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
