/** API descriptions: whether they are served, and with which URLs. */
import { oneOf, url } from '../../settings/kinds.ts'
import type { Rows } from '../../settings/row.ts'

export const settings = {
  describe: {
    key: 'ig.describe',
    kind: oneOf('none', 'permitted'),
    default: 'none',
    help: 'serves OpenAPI and WADL of the operations that the caller may call',
    see: '12.1',
  },
  describeBaseUrl: {
    key: 'ig.describe.baseUrl',
    option: '--base-url',
    kind: url,
    help: 'scheme, host and port in descriptions; without it their URLs are relative',
    see: '12.4',
  },
} as const satisfies Rows
