/** URLs that the gateway refuses or reads as data, and that clients of the original may send. */
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
} as const satisfies Rows
