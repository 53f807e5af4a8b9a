/** A call of Try it as text: its headers, and as a command line (specification 22.13). */
import type { Schemas } from '../../api/client.ts'

export type Trial = Schemas['TrialInput']

export function readHeaders(text: string): Trial['headers'] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const colon = line.indexOf(':')
    return [
      { name: colon < 0 ? line : line.slice(0, colon).trim(), value: colon < 0 ? '' : line.slice(colon + 1).trim() },
    ]
  })
}

/** @param base up to the node @param operator asked for its password; null: no credentials */
export function writeCurl(base: string, { method, path, operator, headers = [], body = '' }: Trial): string {
  const words = [
    'curl -i',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : [`-X ${method}`]),
    ...(operator ? [`-u ${quote(operator)}`] : []),
    ...headers.map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === '' || method === 'GET' || method === 'HEAD' ? [] : [`--data-raw ${quote(body)}`]),
    quote(base + (path.startsWith('/') ? path : `/${path}`)),
  ]
  return words.join(' ')
}

/** One word of a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
