/** Operations whose responses are long: rows of the database, and bytes in memory. */
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  nodes: [
    { name: 'LOCAL_NODE', isDefaultLocal: true },
    { name: 'ANONYMOUS', defaultUser: 'GUEST' },
  ],
  documents: [{ name: 'TIMES', elements: { times: { type: 'Integer' } } }],
  messages: [{ name: 'TIMES_PARAMETERS', document: 'TIMES' }],
  services: [{ name: 'LONG' }],
  operations: [
    {
      service: 'LONG',
      name: 'LINES',
      method: 'GET',
      uriTemplates: ['{times}'],
      documentTemplate: 'TIMES_PARAMETERS',
      responseMessage: { contentType: 'text/csv' },
      handler: 'handlers/lines.ts#Lines',
    },
    {
      service: 'LONG',
      name: 'PHOTO',
      method: 'GET',
      responseMessage: { contentType: 'application/octet-stream' },
      handler: 'handlers/lines.ts#Photo',
    },
  ],
  permissionLists: [{ name: 'PUBLIC', services: ['LONG'] }, { name: 'REFERENCE_ALL' }],
})
