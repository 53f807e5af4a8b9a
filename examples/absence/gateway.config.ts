/** The Application Service "absence": operations without a version, whose URLs are /absence/request/… (docs/how-to/application-services.md). */
import { defineGateway, defineSampleOperators } from 'integration-gateway'

const json = { contentType: 'application/json' }
const common = {
  service: 'ABSENCE',
  name: 'ABSENCE',
  alias: 'absence',
  version: 'none',
  verification: 'Basic',
} as const

export default defineGateway({
  nodes: [{ name: 'PSFT_HR', isDefaultLocal: true }],
  databaseValues: 'portable',
  documents: [
    {
      name: 'ABSENCE_DOCUMENT',
      elements: { emplid: { type: 'String', pattern: '[0-9]{6}' }, requestid: { type: 'Integer', minimum: 1 } },
    },
  ],
  messages: [{ name: 'ABSENCE_PARAMETERS', document: 'ABSENCE_DOCUMENT' }],
  services: [{ name: 'ABSENCE', description: 'Requests for absence' }],
  operations: [
    {
      ...common,
      method: 'GET',
      description: 'The requests of an employee, or one of them',
      uriTemplates: ['request?emplid={emplid}', 'request/{requestid}'],
      documentTemplate: 'ABSENCE_PARAMETERS',
      responseMessage: json,
      handler: 'handlers/absence.ts#AbsenceGet',
    },
    {
      ...common,
      method: 'POST',
      description: 'Asks for absence',
      uriTemplates: ['request/createabsence'],
      requestMessage: json,
      responseMessage: json,
      handler: 'handlers/absence.ts#AbsencePost',
    },
  ],
  permissionLists: [{ name: 'ABSENCE_ALL', services: ['ABSENCE'] }],
})

export const sampleOperators = defineSampleOperators([
  { id: 'CLERK', password: 'clerk-password', email: 'clerk@example.com', permissionLists: ['ABSENCE_ALL'] },
])
