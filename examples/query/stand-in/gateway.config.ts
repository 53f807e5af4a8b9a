/** The delivered query service as a stand-in: this project answers, from the rows of queries.ts. */
import { defineGateway, defineSampleOperators } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'PSFT_HR', isDefaultLocal: true }],
  documents: [
    {
      name: 'EXECUTE_QUERY_DOCUMENT',
      elements: {
        ownertype: { type: 'String', pattern: '(?i)public|private', examples: ['PUBLIC'] },
        queryname: { type: 'String', length: 30, examples: ['EMPLOYEES'] },
        format: { type: 'String', pattern: '(?i)json|xmlp|webrowset', examples: ['JSON'] },
        filetype: { type: 'String', pattern: '(?i)nonfile', examples: ['NONFILE'] },
        isconnectedquery: { type: 'String', pattern: '(?i)n?', description: 'N: there are no connected queries here' },
        maxrows: { type: 'Integer', minimum: 0, description: '0: all rows' },
        prompt_uniquepromptname: { type: 'String', isCollection: true, examples: ['DEPTID,EMPLID'] },
        prompt_fieldvalue: { type: 'String', isCollection: true, examples: ['MATH,'] },
        json_resp: { type: 'String', pattern: '(?i)(?:true|false)?', examples: ['true'] },
        filterfields: { type: 'String', isCollection: true, examples: ['A.EMPLID,A.NAME'] },
      },
    },
  ],
  messages: [{ name: 'EXECUTE_QUERY_PARAMETERS', document: 'EXECUTE_QUERY_DOCUMENT' }],
  services: [{ name: 'QAS_QRY_SERVICE', description: 'The delivered query service' }],
  operations: [
    {
      service: 'QAS_QRY_SERVICE',
      name: 'QAS_EXECUTEQRY',
      alias: 'ExecuteQuery',
      method: 'GET',
      description: 'Runs a query',
      verification: 'Basic',
      // `*`: the handler splits at commas, because many clients write them as %2C
      uriTemplates: [
        '{ownertype}/{queryname}/{format}/{filetype}{?isconnectedquery,maxrows,prompt_uniquepromptname*,prompt_fieldvalue*,json_resp,filterfields*}',
      ],
      documentTemplate: 'EXECUTE_QUERY_PARAMETERS',
      responseMessage: { contentType: 'text/xml; encoding="UTF-8"' },
      responseTypes: ['text/xml', 'application/json'],
      handler: 'handlers/execute-query.ts#ExecuteQuery',
    },
  ],
  permissionLists: [{ name: 'QUERY_ALL', services: ['QAS_QRY_SERVICE'] }],
})

/** For `ig dev` and tests; `ig start` never uses them. */
export const sampleOperators = defineSampleOperators([
  { id: 'CLERK', password: 'clerk-password', email: 'clerk@example.com', permissionLists: ['QUERY_ALL'] },
])
