/** The delivered query service, passed on to the original: only some queries, with cache, limits and masking. */
import { defineGateway, defineSampleOperators } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'PSFT_HR', isDefaultLocal: true }],
  documents: [
    {
      name: 'EXECUTE_QUERY_DOCUMENT',
      elements: {
        ownertype: { type: 'String', pattern: '(?i)public', examples: ['PUBLIC'] },
        queryname: { type: 'String', values: ['EMPLOYEES', 'DEPARTMENTS'], description: 'Only these pass' },
        format: { type: 'String', pattern: '(?i)json|xmlp|webrowset', examples: ['JSON'] },
        filetype: { type: 'String', pattern: '(?i)nonfile', examples: ['NONFILE'] },
        maxrows: {
          type: 'Integer',
          minimum: 1,
          maximum: 1000,
          isRequired: true,
          examples: ['10'],
          description: '0, all rows, does not pass',
        },
      },
    },
  ],
  messages: [{ name: 'EXECUTE_QUERY_PARAMETERS', document: 'EXECUTE_QUERY_DOCUMENT' }],
  limits: [
    { name: 'caller', by: ['operator'], calls: 60, per: '1min', burst: 10 },
    { name: 'original', by: ['operation'], concurrency: 4, queue: 20 },
  ],
  services: [{ name: 'QAS_QRY_SERVICE', description: 'The delivered query service' }],
  operations: [
    {
      service: 'QAS_QRY_SERVICE',
      name: 'QAS_EXECUTEQRY',
      alias: 'ExecuteQuery',
      method: 'GET',
      description: 'Runs a query of the original; the response is kept for a minute, for each operator',
      verification: 'Basic',
      // The prompts are not named here: they pass as they are, and logs do not show them
      uriTemplates: ['{ownertype}/{queryname}/{format}/{filetype}{?maxrows}'],
      documentTemplate: 'EXECUTE_QUERY_PARAMETERS',
      handler: 'handlers/pass-on.ts#PassOn',
      logFields: ['isconnectedquery', 'filterfields', 'json_resp'],
      cacheKeyPolicy: 'perOperator',
      timeout: '30s',
    },
  ],
  permissionLists: [{ name: 'QUERY_ALL', services: ['QAS_QRY_SERVICE'] }],
})

/** For `ig dev` and tests; `ig start` never uses them. */
export const sampleOperators = defineSampleOperators([
  { id: 'CLERK', password: 'clerk-password', email: 'clerk@example.com', permissionLists: ['QUERY_ALL'] },
  { id: 'KIM', password: 'kim-password', email: 'kim@example.com', permissionLists: ['QUERY_ALL'] },
])
