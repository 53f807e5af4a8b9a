/** A gateway whose operations another server answers. */
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'
import { type PassThroughOptions, passThrough } from '../../../src/features/pass-through/author.ts'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD'] as const

export interface Passed {
  readonly url: string
  readonly how?: PassThroughOptions
  readonly timeout?: string
  readonly bodyLimit?: string
  readonly isActive?: boolean
  readonly uriTemplates?: readonly string[]
  /** Default: Basic. */
  readonly verification?: 'Basic' | 'NONE'
}

export const rootOf = (name: string) => `/PSIGW/RESTListeningConnector/LOCAL_NODE/${name}.v1`

/** OLD_NODE passes on what the gateway does not have. */
export const oldRoot = '/PSIGW/RESTListeningConnector/OLD_NODE'
const upstreamOf = (url: string) =>
  ({ passThrough: url, verification: 'Basic', permissionLists: ['ALL'], bodyLimit: '100KiB' }) as const

/** A gateway whose operations, of each method, are passed through; CALLER may call them, and OTHER may not. */
export function openPassing(
  passed: Readonly<Record<string, Passed>>,
  settings: Readonly<Record<string, string>> = {},
  upstream?: string,
): Promise<TestGateway> {
  return openTestGateway({
    listen: true,
    settings,
    operators: [{ id: 'CALLER', permissionLists: ['ALL'] }, { id: 'OTHER' }],
    project: {
      configuration: {
        nodes: [
          { name: 'LOCAL_NODE', isDefaultLocal: true },
          { name: 'ANONYMOUS', defaultUser: 'CALLER' },
          ...(upstream === undefined ? [] : [{ name: 'OLD_NODE', upstream: { ...upstreamOf(upstream) } }]),
        ],
        services: [{ name: 'PASSED' }],
        operations: Object.entries(passed).flatMap(([name, { url, how, verification = 'Basic', ...fields }]) =>
          methods.map((method) => ({
            ...fields,
            service: 'PASSED',
            name,
            method,
            verification,
            handler: passThrough(url, how),
          })),
        ),
        permissionLists: [{ name: 'ALL', services: ['PASSED'] }],
      },
    },
  })
}
