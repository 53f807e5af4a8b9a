/** What the gateway refuses or reads as data, and clients of the original may send. */
import { yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const compatibility = {
  emptySegments: {
    key: 'ig.compat.emptySegments',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'ignores empty path segments between node and operation',
    see: '33.2',
  },
  sessionSuffix: {
    key: 'ig.compat.sessionSuffix',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'ignores ;jsessionid=<id> at the end of the path',
    see: '33.3',
  },
  rawUrlBytes: {
    key: 'ig.compat.rawUrlBytes',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'accepts UTF-8 that is not percent-encoded in path and query',
    see: '33.4',
  },
  operatorCase: {
    key: 'ig.compat.operatorCase',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'accepts Basic user ids without regard to case',
    see: '33.5',
  },
} as const satisfies Rows
