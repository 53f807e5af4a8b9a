/** Traces and their collector. */
import { url } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

const collector = {
  values: url.values,
  parse(text: string): string {
    const endpoint = new URL(url.parse(text))
    if (endpoint.username !== '' || endpoint.password !== '')
      throw new Error('must have no user name and no password: a collector on this machine can add them')
    return endpoint.pathname === '/' ? new URL('/v1/traces', endpoint).href : text
  },
}
const share = {
  values: '0 to 1',
  parse(text: string): number {
    const ratio = Number(text)
    if (text !== '' && ratio >= 0 && ratio <= 1) return ratio
    throw new Error('must be a number from 0 to 1')
  },
}

export const settings = {
  /** The collector's URL with its path; undefined: no traces are sent. */
  endpoint: {
    key: 'ig.tracing.endpoint',
    kind: collector,
    help: 'OpenTelemetry collector (OTLP/HTTP); without a path, /v1/traces is added; unset: no traces',
    see: '20.12',
  },
  ratio: {
    key: 'ig.tracing.ratio',
    kind: share,
    default: '1',
    help: 'share of calls to trace if the caller does not decide',
    see: '20.12',
  },
} as const satisfies Rows
