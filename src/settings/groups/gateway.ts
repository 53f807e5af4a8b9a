/** The listener of the gateway, and its responses. */
import { gatewayPathPattern } from '../../model/uri/target.ts'
import { headerNames, host, matching, oneOf, origins, portOrOff, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

const statusOf = (...statuses: readonly number[]) => {
  const { values, parse } = oneOf(...statuses.map(String))
  return { values, parse: (text: string): number => Number(parse(text)) }
}

export const gateway = {
  host: {
    key: 'ig.host',
    option: '--host',
    kind: host,
    default: '127.0.0.1',
    help: 'address to listen on; 0.0.0.0 for all networks',
    see: '7.15',
  },
  /** Undefined: no plain listener. */
  port: {
    key: 'ig.port',
    option: '--port',
    kind: portOrOff,
    default: '8080',
    help: 'plain HTTP port; 0: any free port; off: TLS only (ig.tls.cert)',
    see: '7.15',
  },
  gatewayPath: {
    key: 'ig.gatewayPath',
    kind: matching('path segments: PSIGW, SSCDEV/PSIGW', gatewayPathPattern),
    default: 'PSIGW',
    help: 'first segments of every URL',
    see: '1.1',
  },
  platformName: {
    key: 'ig.platformName',
    kind: matching('[a-z][a-z0-9-]*', /^[a-z][a-z0-9-]{0,39}$/),
    default: 'platform',
    help: 'names headers, realm and the transaction id in the metadata',
    see: '7.3',
  },
  errorStyle: {
    key: 'ig.errorStyle',
    kind: oneOf('observed', 'standard'),
    default: 'observed',
    help: 'refusals as in the original, or with correct statuses',
    see: '4.1',
  },
  jsonInvalidStatus: {
    key: 'ig.json.invalidStatus',
    kind: statusOf(422, 400),
    default: '422',
    help: 'status of a JSON body that does not match its schema (bodyInvalid)',
    see: '4.16',
  },
  cacheStrict: {
    key: 'ig.cache.strict',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'do not cache a response made after reading a header or the identity that the cache key does not contain',
    see: '6.9',
  },
  serviceSystemStatus: {
    key: 'ig.serviceSystemStatus',
    kind: oneOf('production', 'development'),
    default: 'production',
    help: 'development includes the reason of a failed handler in responses',
    see: '4.12',
  },
  optionsEnabled: {
    key: 'ig.OptionsEnabled',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'answers OPTIONS with CORS headers for every operation',
    see: '2.4',
  },
  cors: {
    /** Undefined: every origin. */
    origins: {
      key: 'ig.cors.origins',
      kind: origins,
      help: 'origins of the web pages that may call operations which answer OPTIONS; without it every origin may',
      see: '2.4, 28.12',
    },
    allowHeaders: {
      key: 'ig.cors.allowHeaders',
      kind: headerNames,
      default:
        'Authorization, Content-Type, PS_TOKEN, LanguageCd, X-Requested-With, Idempotency-Key, If-Match, If-None-Match',
      help: 'request headers that these pages may send',
      see: '2.4',
    },
  },
} as const satisfies Rows
