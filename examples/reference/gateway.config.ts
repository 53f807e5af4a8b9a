/**
 * The reference operations as a user's project (specification 9). Everything that a gateway publishes stands in this one
 * document; the classes that answer are in handlers/, the table that they need in migrations/.
 */
import { defineGateway, defineSampleOperators } from 'integration-gateway'

const json = { contentType: 'application/json; encoding=UTF-8' }
const xml = { contentType: 'text/xml; encoding="UTF-8"' } // the default, stated because clients compare it

export default defineGateway({
  nodes: [
    { name: 'LOCAL_NODE', isDefaultLocal: true },
    { name: 'ANONYMOUS', description: 'Whose default user runs calls without credentials', defaultUser: 'GUEST' },
  ],

  documents: [
    { name: 'ECHO_DOCUMENT', elements: { parameter1: { type: 'String' } } },
    { name: 'KEY_VALUE_DOCUMENT', elements: { key: { type: 'String' }, transaction: { type: 'String' } } },
  ],
  messages: [
    { name: 'ECHO_PARAMETERS', document: 'ECHO_DOCUMENT' },
    { name: 'KEY_VALUE_PARAMETERS', document: 'KEY_VALUE_DOCUMENT' },
  ],

  services: [{ name: 'REFERENCE', description: 'The reference operations' }],

  operations: [
    {
      service: 'REFERENCE',
      name: 'METADATA',
      method: 'GET',
      description: 'Who is calling, and what answers',
      verification: 'NONE',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/metadata.ts#Metadata',
    },
    {
      service: 'REFERENCE',
      name: 'METADATA_BASIC',
      method: 'GET',
      description: 'The same, for callers with a password',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/metadata.ts#Metadata',
    },
    {
      service: 'REFERENCE',
      name: 'METADATA_OAUTH2',
      method: 'GET',
      description: 'The same, for callers with a bearer token',
      verification: 'OAuth2',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/metadata.ts#Metadata',
    },
    {
      service: 'REFERENCE',
      name: 'KEY_VALUE',
      method: 'POST',
      description: 'Stages rows in C_KEY_VALUE',
      verification: 'Basic',
      responseMessage: xml,
      handler: 'handlers/key-value.ts#KeyValuePost',
    },
    {
      service: 'REFERENCE',
      name: 'KEY_VALUE',
      method: 'GET',
      description: 'Reads the rows of a key, or those that one transaction staged',
      verification: 'Basic',
      uriTemplates: ['{key}{?transaction}'],
      documentTemplate: 'KEY_VALUE_PARAMETERS',
      responseMessage: xml,
      handler: 'handlers/key-value.ts#KeyValueGet',
    },
    {
      service: 'REFERENCE',
      name: 'KEY_VALUE',
      method: 'PUT',
      description: 'Replaces the rows of a key',
      verification: 'Basic',
      uriTemplates: ['{key}'],
      documentTemplate: 'KEY_VALUE_PARAMETERS',
      responseMessage: xml,
      handler: 'handlers/key-value.ts#KeyValuePut',
    },
    {
      service: 'REFERENCE',
      name: 'KEY_VALUE',
      method: 'DELETE',
      description: 'Removes the rows of a key, or those that one transaction staged',
      verification: 'Basic',
      uriTemplates: ['{key}{?transaction}'],
      documentTemplate: 'KEY_VALUE_PARAMETERS',
      responseMessage: xml,
      handler: 'handlers/key-value.ts#KeyValueDelete',
    },
    {
      service: 'REFERENCE',
      name: 'ECHO',
      method: 'GET',
      description: 'Sends a value of the URL back',
      verification: 'NONE',
      uriTemplates: ['echo/{parameter1}', 'echo/?value-to-echo={parameter1}'],
      documentTemplate: 'ECHO_PARAMETERS',
      responseMessage: xml,
      handler: 'handlers/echo.ts#Echo',
    },
    {
      service: 'REFERENCE',
      name: 'CACHED_TIME',
      method: 'GET',
      description: 'The time and the user, cached for two minutes',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: xml,
      handler: 'handlers/cached-time.ts#CachedTime',
      cacheKeyPolicy: 'shared', // as by default: a second user receives the first user's response, and here that is meant
    },
    {
      service: 'REFERENCE',
      name: 'PSTOKEN',
      method: 'GET',
      description: 'Signs in: a session token for the operations that take one',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/sign-in.ts',
    },
    {
      service: 'REFERENCE',
      name: 'METADATA_TOKEN',
      method: 'GET',
      description: 'The same as METADATA, for callers with a session token',
      verification: 'Token',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/metadata.ts#Metadata',
    },
  ],

  permissionLists: [
    {
      name: 'PUBLIC',
      description: 'What calls without credentials may run',
      operations: ['METADATA_GET.v1', 'ECHO_GET.v1'],
    },
    { name: 'REFERENCE_ALL', description: 'All reference operations', services: ['REFERENCE'] },
  ],

  oauth2ServiceApps: [
    {
      name: 'SAMPLE_ISSUER',
      issuer: 'http://127.0.0.1:8090',
      authorizationEndpoint: 'http://127.0.0.1:8090/auth',
      tokenEndpoint: 'http://127.0.0.1:8090/token',
    },
  ],
})

/** For `ig dev` and its sample issuer; `ig start` never uses them. */
export const sampleOperators = defineSampleOperators([
  { ...sample('GUEST'), permissionLists: ['PUBLIC'] },
  { ...sample('DEMO'), permissionLists: ['REFERENCE_ALL'] },
  { ...sample('DEMO2'), permissionLists: ['REFERENCE_ALL'] },
  sample('NOPERM'),
  { ...sample('LOCKED'), permissionLists: ['REFERENCE_ALL'], isLocked: true },
])

function sample(id: string) {
  const name = id.toLowerCase()
  return { id, password: `${name}-password`, email: `${name}@example.com`, clientSecret: `${name}-secret` }
}
