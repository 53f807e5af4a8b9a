/** A gateway that guards both listeners of an original. */
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { openTestGateway, type TestGateway } from 'integration-gateway/testing'

export const envelope =
  '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body/></soapenv:Envelope>'

/** CALLER may call everything, OTHER only OPEN.v1. */
export function openListeners(url: string, settings: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  const common = { passThrough: url, verification: 'Basic' } as const
  return openTestGateway({
    listen: true,
    settings,
    operators: [
      { id: 'CALLER', permissionLists: ['ALL', 'OPEN'] },
      { id: 'OTHER', permissionLists: ['OPEN'] },
    ],
    project: {
      configuration: {
        nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
        listeners: [
          {
            ...common,
            connector: 'HttpListeningConnector',
            allow: [{ operation: 'JOB_SYNC.v1', from: 'PARTNER', to: 'PSFT_HR' }],
          },
          {
            ...common,
            connector: 'PeopleSoftServiceListeningConnector',
            allow: [{ operation: 'OPEN.v1' }],
            wsdl: true,
            nodePassword: true,
          },
        ],
        permissionLists: [
          {
            name: 'ALL',
            operations: [
              'HttpListeningConnector:JOB_SYNC.v1:PARTNER:PSFT_HR',
              'PeopleSoftServiceListeningConnector:wsdl',
            ],
          },
          { name: 'OPEN', operations: ['PeopleSoftServiceListeningConnector:OPEN.v1::'] },
        ],
      },
    },
  })
}

export interface Answer {
  readonly status: number
  readonly refusal: string | undefined
  readonly body: string
}

export function send(
  { url }: Pick<TestGateway, 'url'>,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url ?? '')
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    request({ hostname, port, method, path, headers: { ...headers, ...length } }, async (response) => {
      const { statusCode: status = 0, headers } = response
      resolve({ status, refusal: headers['ig-refusal']?.toString(), body: await text(response) })
    })
      .on('error', reject)
      .end(body)
  })
}
