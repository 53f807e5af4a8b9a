/** The configuration: its rules, each with the path of its error, and what it is compiled into (specification 2, 3.16). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineGateway } from 'integration-gateway'
import { compileCatalog } from '../../src/configuration/catalog.ts'
import { type Configuration, configurationSchema } from '../../src/configuration/configuration.ts'
import { parseConfiguration, parseSteps } from '../../src/configuration/parse-configuration.ts'
import type { HandlerClass } from '../../src/model/handler.ts'
import { formatProblem } from '../../src/model/problem.ts'
import { verificationNames } from '../../src/model/verification.ts'
import { defineMany } from '../support/many-operations.ts'

const sample = defineGateway({
  nodes: [
    { name: 'LOCAL_NODE', isDefaultLocal: true },
    { name: 'ANONYMOUS', defaultUser: 'GUEST' },
  ],
  documents: [
    {
      name: 'ECHO_DOCUMENT',
      elements: { parameter1: { type: 'String' }, list: { type: 'Integer', isCollection: true } },
    },
  ],
  messages: [{ name: 'ECHO_PARAMETERS', document: 'ECHO_DOCUMENT' }],
  services: [{ name: 'REFERENCE' }, { name: 'OTHER' }],
  operations: [
    { service: 'REFERENCE', name: 'METADATA', method: 'GET', handler: 'handlers/metadata.ts' },
    {
      service: 'REFERENCE',
      name: 'ECHO',
      method: 'GET',
      uriTemplates: ['echo/{parameter1}', 'echo/?value-to-echo={parameter1}'],
      documentTemplate: 'ECHO_PARAMETERS',
      handler: 'handlers/echo.ts#Echo',
    },
  ],
  permissionLists: [
    { name: 'PUBLIC', operations: ['METADATA_GET.v1'] },
    { name: 'ALL', services: ['REFERENCE'] },
  ],
  oauth2ServiceApps: [{ name: 'PROVIDER', metadataUrl: 'https://issuer.example.com/.well-known/openid-configuration' }],
})

const localNode: 'LOCAL_NODE' = sample.nodes[0].name // literal types survive
assert.equal(localNode, 'LOCAL_NODE')

// biome-ignore lint/suspicious/noExplicitAny: rows break the document in ways that its type forbids
type Anything = any

interface Row {
  readonly title: string
  readonly change: (document: Anything) => void
  /** Each as it is shown, or how it begins. */
  readonly problems: readonly string[]
}

const routings =
  'cannot be configured: routings are generated, one for each operation, "Any to default local node". ' +
  'A manual routing would prevent the REST logic from being triggered. Remove it'

const rows: readonly Row[] = [
  // Fields and names
  {
    title: '2.1 an unknown field of an operation is refused, naming the nearest one',
    change: ({ operations: [operation] }) => (operation.uriTemplate = ['/']),
    problems: ['operations[0].uriTemplate is not a known field; did you mean uriTemplates?'],
  },
  {
    title: '2.1 a field without a similar one is refused with the list of valid ones',
    change: ({ services: [service] }) => (service.priority = 1),
    problems: ['services[0].priority is not a known field; known are name, description'],
  },
  {
    title: '2.1 a missing field is reported as missing, with its valid values',
    change: ({ operations: [operation] }) => {
      delete operation.service
      delete operation.method
    },
    problems: [
      'operations[0].method is missing: one of GET, POST, PUT, DELETE, PATCH, HEAD',
      'operations[0].service is missing: it must be a string',
    ],
  },
  {
    title: '2.1 a field of the wrong type is refused, naming the type it has',
    change: ({ operations: [operation] }) => {
      operation.isActive = 'yes'
      operation.uriTemplates = '/'
      operation.responseMessage = null
    },
    problems: [
      'operations[0].isActive must be true or false, not "yes"',
      'operations[0].responseMessage must be an object, not null',
      'operations[0].uriTemplates must be a list, not a string',
    ],
  },
  {
    title: '2.1 a value outside a closed set is refused, naming the nearest one',
    change: ({ operations: [operation] }) => {
      operation.verification = 'OAuth'
      operation.logDetail = 'full'
      operation.errorStyle = 'Standard'
      operation.cacheKeyPolicy = 'perUser'
    },
    problems: [
      'operations[0].cacheKeyPolicy must be one of shared, perOperator',
      'operations[0].errorStyle must be one of observed, standard; did you mean standard?',
      'operations[0].logDetail must be one of none, header, headerAndDetail',
      `operations[0].verification must be one of ${verificationNames.join(', ')}; did you mean OAuth2?`,
    ],
  },
  {
    title: '2.2 a method beyond GET, POST, PUT, DELETE, PATCH and HEAD is refused',
    change: ({ operations: [operation] }) => (operation.method = 'OPTIONS'),
    problems: ['operations[0].method must be one of GET, POST, PUT, DELETE, PATCH, HEAD'],
  },
  {
    title: '2.5 a second operation of the same name, method and version is refused',
    change: ({ operations }) =>
      operations.push({ ...operations[0], version: 'v1' }, { ...operations[0], version: 'v2' }),
    problems: [
      'operations[2] repeats METADATA_GET.v1 of operations[0]: name, method and version together must be unique',
    ],
  },
  {
    title: '2.5 a name in two services is refused',
    change: ({ operations }) => operations.push({ ...operations[0], method: 'POST', service: 'OTHER' }),
    problems: [
      'operations[2].service must be REFERENCE, as in operations[0]: the name METADATA belongs to one service only',
    ],
  },
  ...['1', 'v0', 'v01', 'V1', 'v1.0', 'v-1', 'v', 'None', ''].map((version) => ({
    title: `2.6 the version ${version} is refused`,
    change: ({ operations }: Anything) => (operations[1].version = version),
    problems: ['operations[1].version must be v and a positive whole number: v1; or none, without a version in URLs'],
  })),
  ...['metadata', '1NAME', '_NAME', 'NA-ME', 'N'.repeat(31), '', 'NÄME', 'NAME\n'].map((name) => ({
    title: `2.7 the name ${JSON.stringify(name)} is refused`,
    change: ({ operations }: Anything) => (operations[1].name = name),
    problems: ['operations[1].name must be 1 to 30 capitals, digits and underscores, a capital first: MY_NAME'],
  })),
  ...['1alias', '-alias', 'al.ias', 'a/b', 'a'.repeat(61), ''].map((alias) => ({
    title: `2.7 the alias ${JSON.stringify(alias)} is refused`,
    change: ({ operations }: Anything) => (operations[1].alias = alias),
    problems: ['operations[1].alias must be 1 to 60 letters, digits, underscores and hyphens, a letter first'],
  })),
  {
    title: '2.35 an operation without a version needs an alias',
    change: ({ operations }: Anything) => (operations[1].version = 'none'),
    problems: [
      'operations[1].alias is missing: state one in lower case, because the URLs of operations[1] have it instead of a version',
    ],
  },
  {
    title: '2.35 the alias of an operation without a version is in lower case, wherever it is stated',
    change: ({ operations }: Anything) => {
      operations[0].alias = 'metaData'
      operations.push({ ...operations[0], alias: undefined, method: 'POST', version: 'none' })
    },
    problems: [
      'operations[0].alias must be metadata, in lower case: the URLs of operations[2] have it instead of a version',
    ],
  },
  {
    title: '2.5, 2.35 a second operation without a version of the same name and method is refused',
    change: ({ operations }: Anything) => {
      operations[0].version = 'none'
      operations[0].alias = 'metadata'
      operations.push({ ...operations[0] }, { ...operations[0], version: 'v1' })
    },
    problems: ['operations[2] repeats METADATA_GET of operations[0]: name, method and version together must be unique'],
  },
  {
    title: '2.7 two aliases of one name are refused',
    change: ({ operations }) => {
      operations[0].alias = 'metaData'
      operations.push({ ...operations[0], method: 'POST', alias: 'metadata' })
    },
    problems: ['operations[2].alias must be metaData, as in operations[0]: the name METADATA has one alias'],
  },
  {
    title: '2.7 an alias that two names share is refused',
    change: ({ operations }) => {
      operations[0].alias = 'same'
      operations[1].alias = 'same'
    },
    problems: ['operations[1].alias gives ECHO the alias same of METADATA: two names cannot share an alias'],
  },
  {
    title: '2.7 the name of another operation is refused as an alias',
    change: ({ operations }) => (operations[0].alias = 'ECHO'),
    problems: ['operations[1].name gives ECHO the alias ECHO of METADATA: two names cannot share an alias'],
  },
  {
    title: '2.9 a service that does not exist is refused, naming the nearest one',
    change: ({ operations: [operation] }) => (operation.service = 'REFERENCES'),
    problems: ['operations[0].service names no service of this configuration: "REFERENCES"; did you mean REFERENCE?'],
  },
  {
    title: '2.9 a permission list that names what does not exist is refused',
    change: ({ permissionLists: [list] }) => {
      list.operations.push('METADATA_GET', 'ECHO_POST.v1', 'ECHO.v1')
      list.services = ['NOWHERE_AT_ALL']
    },
    problems: [
      'permissionLists[0].operations[1] names no operation of this configuration: "METADATA_GET"; did you mean METADATA_GET.v1?',
      'permissionLists[0].operations[2] names no operation of this configuration: "ECHO_POST.v1"; did you mean ECHO_GET.v1?',
      'permissionLists[0].operations[3] names no operation of this configuration: "ECHO.v1"; did you mean ECHO_GET.v1?',
      'permissionLists[0].services[0] names no service of this configuration: "NOWHERE_AT_ALL"',
    ],
  },
  {
    title: '2.5 a name that occurs twice in a list is refused',
    change: (document) => {
      for (const list of ['nodes', 'documents', 'messages', 'services', 'permissionLists', 'oauth2ServiceApps']) {
        document[list].push({ ...document[list][0], ...(list === 'nodes' && { isDefaultLocal: false }) })
      }
    },
    problems: [
      'documents[1].name repeats ECHO_DOCUMENT of documents[0]: give it another name',
      'messages[1].name repeats ECHO_PARAMETERS of messages[0]: give it another name',
      'nodes[2].name repeats LOCAL_NODE of nodes[0]: give it another name',
      'oauth2ServiceApps[1].name repeats PROVIDER of oauth2ServiceApps[0]: give it another name',
      'permissionLists[2].name repeats PUBLIC of permissionLists[0]: give it another name',
      'services[2].name repeats REFERENCE of services[0]: give it another name',
    ],
  },

  // Nodes
  {
    title: '1.9 a configuration without a default local node is refused',
    change: ({ nodes: [node] }) => delete node.isDefaultLocal,
    problems: ['nodes has no default local node: give one node isDefaultLocal: true'],
  },
  {
    title: '1.9 a second default local node is refused',
    change: ({ nodes: [, node] }) => (node.isDefaultLocal = true),
    problems: ['nodes[1].isDefaultLocal is true for nodes[0] already: there can be only one default local node'],
  },
  {
    title: '1.9 an inactive default local node is refused',
    change: ({ nodes: [node] }) => (node.isActive = false),
    problems: ['nodes[0].isActive must be true: the default local node is always active'],
  },
  {
    title: '3.5 a default user of another node than ANONYMOUS would have no effect, and is refused',
    change: ({ nodes: [node] }) => (node.defaultUser = 'DEMO'),
    problems: [
      'nodes[0].defaultUser has no effect here: calls without credentials run as the default user of the node ANONYMOUS',
    ],
  },
  ...['', 'a:b', 'x'.repeat(31), ' GUEST', 'GUEST\n'].map((id) => ({
    title: `3.2 the default user ${JSON.stringify(id)} is not an operator id`,
    change: ({ nodes }: Anything) => (nodes[1].defaultUser = id),
    problems: ['nodes[1].defaultUser must be an operator id: 1 to 30 characters, without a colon'],
  })),

  // Messages
  {
    title: '2.10 a message of kind document names an existing document, and other kinds name none',
    change: ({ operations: [first, second] }) => {
      first.requestMessage = { kind: 'document' }
      first.responseMessage = { kind: 'document', document: 'ECHO_DOCUMENTS' }
      second.faultMessage = { document: 'ECHO_DOCUMENT' }
    },
    problems: [
      'operations[0].requestMessage.document is missing: a message of kind document needs the document that it is built on',
      'operations[0].responseMessage.document names no document of this configuration: "ECHO_DOCUMENTS"; did you mean ECHO_DOCUMENT?',
      'operations[1].faultMessage.document has no effect here: set kind: document, or remove it',
    ],
  },
  ...['text', 'text/xml\r\nset-cookie: a=b', 'text/xml; a=\n', 'text/ xml', 'text/xml; charset=\u00fc', ''].map(
    (contentType) => ({
      title: `2.10 the content type ${JSON.stringify(contentType)} is refused`,
      change: ({ operations }: Anything) => (operations[0].responseMessage = { contentType }),
      problems: [
        'operations[0].responseMessage.contentType must be a media type on one line, such as application/json; encoding=UTF-8',
      ],
    }),
  ),
  {
    title: '2.1 an HTTP code that a message cannot have is refused',
    change: ({ operations: [first, second] }) => {
      first.responseMessage = { httpCode: 404 }
      first.faultMessage = { httpCode: 302 }
      second.responseMessage = { httpCode: 99 }
      second.faultMessage = { httpCode: 500.5 }
    },
    problems: [
      'operations[0].faultMessage.httpCode must be 400 to 599, or 200 to 299 for clients that expect faults there',
      'operations[0].responseMessage.httpCode must be 200 to 299: the handler sets the status of a refusal',
      'operations[1].faultMessage.httpCode must be a whole number, not 500.5',
      'operations[1].responseMessage.httpCode must be 200 to 299',
    ],
  },

  // Routings
  {
    title: '2.11 a routing configured by hand is refused with the reason, wherever it is written',
    change: (document) => {
      document.routings = []
      document.operations[0].routings = [{ from: 'A', to: 'B' }]
      document.nodes[0].routing = 'METADATA_GET'
      document.services[0].routings = []
    },
    problems: [
      `nodes[0].routing ${routings}`,
      `operations[0].routings ${routings}`,
      `routings ${routings}`,
      `services[0].routings ${routings}`,
    ],
  },

  // Handlers
  ...(
    [
      ['/etc/handler.ts', 'must be a path within the project folder, not an absolute one'],
      ['C:\\handler.ts', 'must be a path within the project folder, not an absolute one'],
      ['file:///handler.ts', 'must be a path within the project folder, not an absolute one'],
      ['https://example.com/handler.ts', 'must be a path within the project folder, not an absolute one'],
      ['../handler.ts', "must stay in the project folder: '..' leads out of it"],
      ['handlers/../../handler.ts#A', "must stay in the project folder: '..' leads out of it"],
      ['handlers\\..\\..\\handler.ts', "must stay in the project folder: '..' leads out of it"],
      ['handlers\\handler.ts', 'must have forward slashes'],
      ['', 'must name a module of the project: handlers/my-handler.ts'],
      ['handlers', 'must name a module of the project: handlers/my-handler.ts'],
      ['handlers/a.json', 'must name a module of the project: handlers/my-handler.ts'],
      ['handlers/a\0.ts', 'must name a module of the project: handlers/my-handler.ts'],
      ['handlers/a.ts#', 'must name one export after #, such as #MyHandler'],
      ['handlers/a.ts#A#B', 'must name one export after #, such as #MyHandler'],
      ['handlers/a.ts#a-b', 'must name one export after #, such as #MyHandler'],
    ] as const
  ).map(([handler, fault]) => ({
    title: `2.1 the handler ${JSON.stringify(handler)} is refused`,
    change: ({ operations }: Anything) => (operations[0].handler = handler),
    problems: [`operations[0].handler ${fault}`],
  })),

  // Documents
  {
    title: '2.13 compound elements and imports are refused by name',
    change: ({ documents: [document] }) => {
      document.imports = ['OTHER_DOCUMENT']
      document.compounds = {}
      document.elements.address = { type: 'Compound' }
      document.elements.person = { type: 'String', elements: { name: { type: 'String' } } }
    },
    problems: [
      'documents[0].compounds is not supported: a document template has primitive and collection elements only, no compound elements',
      'documents[0].elements.address.type must be one of Binary, Boolean, Character, Date, DateTime, Decimal, Integer, String, Text, Time',
      'documents[0].elements.person.elements is not supported: a document template has primitive and collection elements only, no compound elements. Make each of these an element of its own',
      'documents[0].imports is not supported: a document template has primitive and collection elements only, no imports (compounds). List the elements themselves',
    ],
  },
  {
    title: '2.14 naming a document itself as document template is refused, and the error names its message',
    change: ({ operations: [, operation] }) => (operation.documentTemplate = 'ECHO_DOCUMENT'),
    problems: [
      'operations[1].documentTemplate names the document ECHO_DOCUMENT, but must name a message of kind document that is built on it: name ECHO_PARAMETERS',
    ],
  },
  {
    title: '2.14 a document template that does not exist is refused',
    change: ({ operations: [, operation] }) => (operation.documentTemplate = 'ECHO_PARAMETER'),
    problems: [
      'operations[1].documentTemplate names no message of this configuration: "ECHO_PARAMETER"; did you mean ECHO_PARAMETERS?',
    ],
  },
  {
    title: '2.14 a message that is not built on a document is refused',
    change: ({ messages }) => messages.push({ name: 'OTHER_PARAMETERS', document: 'OTHER' }),
    problems: ['messages[1].document names no document of this configuration: "OTHER"'],
  },
  {
    title: '2.14 a document template is required where a URI template has variables',
    change: ({ operations: [, operation] }) => delete operation.documentTemplate,
    problems: [
      'operations[1].documentTemplate is missing: name the message of type Document that receives the variables of the URI templates',
    ],
  },
  {
    title: '2.14 a required element needs a variable, also where an operation has no templates',
    change: ({ operations: [operation], documents: [{ elements }] }) => {
      elements.parameter1.isRequired = true
      delete operation.uriTemplates
      operation.documentTemplate = 'ECHO_PARAMETERS'
    },
    problems: ['operations[0].uriTemplates omits {parameter1}, which its document template requires'],
  },
  {
    title: '2.15 an element has a primitive type, a valid length and valid values',
    change: ({ documents: [{ elements }] }) => {
      elements.parameter1.type = 'string'
      elements.list.length = 0
      elements.list.values = []
    },
    problems: [
      'documents[0].elements.list.length must be at least 1',
      'documents[0].elements.list.values must have at least one value, or be left out',
      'documents[0].elements.parameter1.type must be one of Binary, Boolean, Character, Date, DateTime, Decimal, Integer, String, Text, Time; did you mean String?',
    ],
  },
  {
    title: '2.15 an element has a name that is valid for a variable',
    change: ({ documents: [{ elements }] }) => (elements['value-to-echo'] = { type: 'String' }),
    problems: [
      'documents[0].elements.value-to-echo is not an element name: 1 to 60 letters, digits and underscores, a letter first',
    ],
  },

  // URI templates
  {
    title: '2.16 a variable that is not an element of the document template is refused',
    change: ({ operations: [, operation] }) =>
      operation.uriTemplates.push('other/{parameter2}', 'third/{parameter1}{?page}'),
    problems: [
      'operations[1].uriTemplates[2] has the variable parameter2, but the elements of its document template are parameter1, list',
      'operations[1].uriTemplates[3] has the variable page, but the elements of its document template are parameter1, list',
    ],
  },
  {
    title: '2.16 a URI template that cannot be read is refused',
    change: ({ operations: [, operation] }) => (operation.uriTemplates[1] = 'echo/{parameter1'),
    problems: ['operations[1].uriTemplates[1] has an unmatched brace'],
  },
  {
    title: '2.21 two templates that no request can tell apart are refused',
    change: ({ operations: [, operation] }) => operation.uriTemplates.push('echo/{list}'),
    problems: [
      'operations[1].uriTemplates[2] matches the same requests as operations[1].uriTemplates[0] (echo/{parameter1}): remove one of them',
    ],
  },

  // OAuth2 service apps
  {
    title: '3.16 an OAuth2 service app has issuer and both endpoints, or the URL of the metadata document',
    change: ({ oauth2ServiceApps }) => oauth2ServiceApps.push({ name: 'SECOND', issuer: 'https://issuer.example.com' }),
    problems: [
      "oauth2ServiceApps[1].authorizationEndpoint is missing: copy it from the provider's metadata document, or set metadataUrl instead",
      "oauth2ServiceApps[1].tokenEndpoint is missing: copy it from the provider's metadata document, or set metadataUrl instead",
    ],
  },
  {
    title: '3.16 the URLs of an OAuth2 service app are http or https',
    change: ({ oauth2ServiceApps: [app] }) => {
      app.metadataUrl = 'issuer.example.com'
      app.issuer = 'file:///etc/passwd'
      app.tokenEndpoint = 'https://'
    },
    problems: [
      'oauth2ServiceApps[0].issuer must be a URL that begins with http:// or https://',
      'oauth2ServiceApps[0].metadataUrl must be a URL that begins with http:// or https://',
      'oauth2ServiceApps[0].tokenEndpoint must be a URL that begins with http:// or https://',
    ],
  },
  {
    title: '3.16 secrets of operators and providers are refused in the configuration',
    change: (document) => {
      document.operators = [{ id: 'DEMO', password: 'secret' }]
      document.oauth2ServiceApps[0].clientSecret = 'secret'
    },
    problems: [
      'oauth2ServiceApps[0].clientSecret is not a known field; known are name, description, metadataUrl',
      'operators are not part of the configuration: the store holds them. Add them with ig operator add',
    ],
  },

  // All at once
  {
    title: '2.12 errors of single fields and of the whole are reported at once, in the order of their paths',
    change: (document) => {
      document.nodes[0].isDefaultLocal = false
      document.services = [{ name: 'reference' }]
      document.operations[0].verification = 'basic'
      document.operations[0].method = 'FETCH'
      document.operations[1].uriTemplates.push(7)
      document.operations[1].documentTemplate = 'ECHO_DOCUMENT'
      document.permissionLists[1].services.push(1)
    },
    problems: [
      'nodes has no default local node: give one node isDefaultLocal: true',
      'operations[0].method must be one of GET',
      'operations[0].verification must be one of NONE',
      'operations[1].documentTemplate names the document ECHO_DOCUMENT',
      'operations[1].uriTemplates[2] must be a string, not 7',
      'permissionLists[1].services[1] must be a string, not 1',
      'services[0].name must be 1 to 30 capitals',
    ],
  },
  {
    title: '2.12 an invalid name does not hide a wrong reference elsewhere',
    change: (document) => {
      document.services.push({ name: 'other services' })
      document.documents.push({ name: 'x', elements: {} })
      document.messages.push({ name: 'a-b', document: 'ECHO_DOKUMENT' })
      document.operations.push({ ...document.operations[0], name: 'THIRD', version: '1', service: 'REFERENZ' })
      document.operations[1].documentTemplate = 'ECHO_PARAMETER'
      document.permissionLists[0].operations.push('METADATA_GET.v2', 'THIRD_GET.v1')
      document.permissionLists[1].services.push('REFERENCES', 'OTHER_SERVICES')
    },
    problems: [
      'documents[1].name must be 1 to 30',
      'messages[1].document names no document of this configuration: "ECHO_DOKUMENT"; did you mean ECHO_DOCUMENT?',
      'messages[1].name must be 1 to 30',
      'operations[1].documentTemplate names no message of this configuration: "ECHO_PARAMETER"',
      'operations[2].service names no service of this configuration: "REFERENZ"',
      'operations[2].version must be v and',
      'permissionLists[0].operations[1] names no operation of this configuration: "METADATA_GET.v2"',
      'permissionLists[1].services[1] names no service of this configuration: "REFERENCES"',
      'services[2].name must be 1 to 30',
    ],
  },
  {
    title: '2.12 an item without a name makes references to its kind ambiguous, and no others',
    change: (document) => {
      document.services.push({ description: 'new' })
      document.operations[0].service = 'NEW'
      document.operations[1].documentTemplate = 'NEW'
    },
    problems: [
      'operations[1].documentTemplate names no message of this configuration: "NEW"',
      'services[2].name is missing',
    ],
  },
  {
    title: '2.12 of a repeated document or message the elements of all copies count',
    change: (document) => {
      const other = { type: 'String', isRequired: true }
      document.documents.push({ name: 'ECHO_DOCUMENT', elements: { other, parameter1: { type: 'String' } } })
      document.operations[1].uriTemplates.push('{other}', '{nothing}')
    },
    problems: [
      'documents[1].name repeats ECHO_DOCUMENT of documents[0]',
      'operations[1].uriTemplates[3] has the variable nothing, but the elements of its document template are parameter1, list, other',
    ],
  },
  {
    title: '2.15 an enumerated value that does not fit its own type or length is an error',
    change: (document) => {
      document.documents[0].elements.number = { type: 'Integer', length: 2, values: ['1', 'x', '100', ''] }
      document.documents[0].elements.unknown = { type: 'Number', length: 1, values: ['x', 'xy', 3] }
    },
    problems: [
      'documents[0].elements.number.values[1] must be an Integer of up to 9007199254740991, as its element requires, not "x"',
      'documents[0].elements.number.values[2] may have at most 2 characters, as its element requires, not "100"',
      'documents[0].elements.number.values[3] must be an Integer of up to 9007199254740991, as its element requires, not ""',
      'documents[0].elements.unknown.type must be one of',
      'documents[0].elements.unknown.values[1] may have at most 1 characters, as its element requires, not "xy"',
      'documents[0].elements.unknown.values[2] must be a string',
    ],
  },
  {
    title: '2.12 a reference that is ambiguous because of another error is not reported',
    change: (document) => {
      document.operations[0].name = 'metadata' // which PUBLIC names as METADATA_GET.v1
      document.documents[0].elements.parameter1.type = 'Text1' // which a template has as a variable
      document.nodes[0].isDefaultLocal = 'true'
      document.messages[0].name = 'echo parameters'
      document.operations[1].alias = 'the echo' // and not ECHO, which another has
      document.operations.push({ ...document.operations[1], name: 'THIRD', alias: 'ECHO' })
    },
    problems: [
      'documents[0].elements.parameter1.type must be one of',
      'messages[0].name must be 1 to 30',
      'nodes[0].isDefaultLocal must be true or false, not "true"',
      'operations[0].name must be 1 to 30',
      'operations[1].alias must be 1 to 60',
    ],
  },
]

for (const { title, change, problems } of rows) {
  test(title, () => {
    const document: Anything = structuredClone(sample)
    change(document)
    const found = problemsOf(document)
    const cut = found.map((problem, index) =>
      problems[index] && problem.startsWith(problems[index]) ? problems[index] : problem,
    )
    assert.deepEqual(cut, problems)
  })
}

for (const [what, document] of Object.entries({
  nothing: undefined,
  null: null,
  text: 'gateway',
  list: [],
  'a class': class {},
})) {
  test(`2.12 ${what} in place of a configuration is one error`, () => {
    const [problem, ...others] = problemsOf(document)
    assert.match(problem ?? '', /^configuration (is missing: it )?must be an object/)
    assert.deepEqual(others, [])
  })
}

test('2.12 a list that is not a list is an error, and the rest is still checked', () => {
  const document: Anything = { ...structuredClone(sample), services: 'REFERENCE', messages: null }
  document.operations[1].handler = '/echo.ts'
  assert.deepEqual(problemsOf(document), [
    'messages must be a list, not null',
    'operations[1].handler must be a path within the project folder, not an absolute one',
    'services must be a list, not a string',
  ])
})

test('2.12 validation does not change its input', () => {
  const document: Anything = structuredClone(sample)
  document.operations[0].method = 'FETCH'
  const before = structuredClone(document)
  problemsOf(document)
  assert.deepEqual(document, before)
})

test('2.12 in ten thousand operations every error is found, each with its path', () => {
  const document: Anything = manyOperations(10_000)
  for (const operation of document.operations) operation.contentType = 'text/xml'
  const problems = problemsOf(document)
  assert.equal(problems.length, 10_000)
  assert.match(problems[2] ?? '', /^operations\[2\]\.contentType /)
  assert.match(problems[9_999] ?? '', /^operations\[9999\]\.contentType /)
})

test('2.12 after twenty thousand errors no more are searched for', () => {
  const [operation] = sample.operations
  const endless = { ...operation, uriTemplates: Array(20_000).fill(1) }
  const problems = problemsOf({ ...sample, operations: [endless, { name: 1 }], permissionLists: [1] })
  assert.deepEqual(
    [problems.length, problems.at(-1)],
    [20_001, 'configuration may have more errors: the search ends after 20000'],
  )
  const fields = Object.fromEntries(Array.from({ length: 20_002 }, (_, at) => [`k${at}`, 1]))
  assert.equal(problemsOf({ ...sample, services: [{ name: 'S', ...fields }] }).length, 20_001)
  const operations = Array(150_000).fill('NOWHERE_GET.v1') // more than the arguments of a call
  assert.equal(problemsOf({ ...sample, permissionLists: [{ name: 'P', operations }] }).length, 20_001)
})

test('2.1 omitted fields of an operation have defaults', () => {
  const [operation] = parse(sample).operations
  assert.deepEqual(operation, {
    service: 'REFERENCE',
    name: 'METADATA',
    method: 'GET',
    version: 'v1',
    isActive: true,
    verification: 'NONE',
    uriTemplates: [],
    requestMessage: { kind: 'nonRowset', contentType: 'text/xml; encoding="UTF-8"', httpCode: 200 },
    responseMessage: { kind: 'nonRowset', contentType: 'text/xml; encoding="UTF-8"', httpCode: 200 },
    faultMessage: { kind: 'nonRowset', httpCode: 500 },
    handler: 'handlers/metadata.ts',
    logDetail: 'none',
    allowsOptions: false,
  })
})

test('2.12 a valid configuration cannot be changed afterwards', () => {
  const configuration: Anything = parse(sample)
  assert.throws(() => configuration.operations.push({}), TypeError)
  assert.throws(() => (configuration.operations[0].verification = 'NONE'), TypeError)
})

test('2.1 the id of an operation is its name, method and version', () => {
  const { operations } = compile(sample)
  assert.deepEqual([...operations.keys()], ['METADATA_GET.v1', 'ECHO_GET.v1'])
  assert.equal(operations.get('ECHO_GET.v1')?.fullName, 'ECHO_GET')
})

test('2.2 one name with several methods is as many operations at one URL', () => {
  const catalog = compile(withOperations({ method: 'GET' }, { method: 'POST' }, { method: 'PATCH' }))
  assert.deepEqual([...(catalog.services.get('SAMPLE.v1')?.keys() ?? [])], ['GET', 'POST', 'PATCH'])
})

test('2.6 any number of versions coexist', () => {
  const catalog = compile(withOperations({ version: 'v1' }, { version: 'v2' }, { version: 'v10' }))
  assert.deepEqual([...catalog.services.keys()], ['SAMPLE.v1', 'SAMPLE.v2', 'SAMPLE.v10'])
})

test('2.7 an alias stated once applies to all methods and versions of the name, and the name is not reachable', () => {
  const catalog = compile(
    withOperations({ method: 'GET' }, { method: 'POST', alias: 'Sample-Data' }, { version: 'v2' }),
  )
  assert.deepEqual([...catalog.services.keys()], ['Sample-Data.v1', 'Sample-Data.v2'])
  assert.equal(catalog.operations.get('SAMPLE_GET.v1')?.alias, 'Sample-Data')
})

test('2.8 an inactive operation is not found', () => {
  const catalog = compile(
    withOperations({ method: 'GET' }, { method: 'POST', isActive: false }, { version: 'v2', isActive: false }),
  )
  assert.deepEqual([...catalog.services.keys()], ['SAMPLE.v1'])
  assert.deepEqual([...(catalog.services.get('SAMPLE.v1')?.keys() ?? [])], ['GET'])
})

test('1.9 only active nodes can be called', () => {
  const nodes = [...sample.nodes, { name: 'OTHER_NODE' }, { name: 'OLD_NODE', isActive: false }]
  const catalog = compile({ ...sample, nodes })
  assert.deepEqual([...catalog.nodes], ['LOCAL_NODE', 'ANONYMOUS', 'OTHER_NODE'])
  assert.equal(catalog.defaultNode, 'LOCAL_NODE')
})

test("3.5 the ANONYMOUS node's default user is that of calls without credentials, while the node is active", () => {
  const [local, anonymous] = sample.nodes
  assert.equal(compile(sample).anonymousOperatorId, 'GUEST')
  assert.equal(compile({ ...sample, nodes: [local] }).anonymousOperatorId, undefined)
  assert.equal(compile({ ...sample, nodes: [local, { ...anonymous, isActive: false }] }).anonymousOperatorId, undefined)
})

test('2.9 a service in a permission list means all of its operations', () => {
  const { operations, permissionLists } = compile(sample)
  assert.deepEqual([...(permissionLists.get('ALL') ?? [])], ['METADATA_GET.v1', 'ECHO_GET.v1'])
  assert.deepEqual([...(permissionLists.get('PUBLIC') ?? [])], ['METADATA_GET.v1'])
  assert.deepEqual([...(operations.get('METADATA_GET.v1')?.permittedBy ?? [])].sort(), ['ALL', 'PUBLIC'])
  assert.deepEqual([...(operations.get('ECHO_GET.v1')?.permittedBy ?? [])], ['ALL'])
})

test('2.9 a permission list may name services and operations together, and an operation may be in no list', () => {
  const document = withOperations(
    { method: 'GET' },
    { name: 'SECOND', service: 'OTHER' },
    { name: 'THIRD', service: 'OTHER' },
  )
  const mixed = { name: 'MIXED', services: ['REFERENCE'], operations: ['SECOND_GET.v1'] }
  const { operations, permissionLists } = compile({ ...document, permissionLists: [mixed, { name: 'EMPTY' }] })
  assert.deepEqual([...(permissionLists.get('MIXED') ?? [])].sort(), ['SAMPLE_GET.v1', 'SECOND_GET.v1'])
  assert.deepEqual([...(permissionLists.get('EMPTY') ?? ['?'])], [])
  assert.deepEqual([...(operations.get('THIRD_GET.v1')?.permittedBy ?? ['?'])], [])
})

test('2.11 a routing is generated for each operation, "Any to default local node"', () => {
  assert.deepEqual(compile(sample).routings, [
    { operationId: 'METADATA_GET.v1', description: 'Any to default local node', node: 'LOCAL_NODE' },
    { operationId: 'ECHO_GET.v1', description: 'Any to default local node', node: 'LOCAL_NODE' },
  ])
})

test('2.14 an operation has the elements of the document that its document template is built on', () => {
  const { document } = compile(sample).operations.get('ECHO_GET.v1') ?? {}
  assert.equal(document?.name, 'ECHO_DOCUMENT')
  assert.deepEqual(
    [...(document?.elements.values() ?? [])],
    [
      {
        name: 'parameter1',
        type: 'String',
        isCollection: false,
        isRequired: false,
        length: undefined,
        values: undefined,
      },
      { name: 'list', type: 'Integer', isCollection: true, isRequired: false, length: undefined, values: undefined },
    ],
  )
})

test('2.24 an operation without templates behaves as if it had /', () => {
  const { templates } = compile(sample).operations.get('METADATA_GET.v1') ?? {}
  assert.deepEqual(
    templates?.map(({ source, index }) => [source, index]),
    [['/', 1]],
  )
})

test('5.5 the fault message is 500 with the content type of the response, unless it states others', () => {
  const json = { contentType: 'application/json' }
  const catalog = compile(
    withOperations(
      { responseMessage: json },
      { method: 'POST', responseMessage: json, faultMessage: { contentType: 'text/plain', httpCode: 409 } },
    ),
  )
  const faultOf = (id: string) => catalog.operations.get(id)?.fault
  assert.deepEqual(faultOf('SAMPLE_GET.v1'), { kind: 'nonRowset', contentType: 'application/json', httpCode: 500 })
  assert.deepEqual(faultOf('SAMPLE_POST.v1'), { kind: 'nonRowset', contentType: 'text/plain', httpCode: 409 })
})

test('2.12 ten thousand operations and a thousand permission lists are one catalog', () => {
  const catalog = compile(manyOperations(10_000))
  assert.equal(catalog.operations.size, 10_000)
  assert.equal(catalog.services.size, 10_000)
  assert.equal(catalog.routings.length, 10_000)
  assert.equal(catalog.operations.get('OPERATION_9999_GET.v1')?.permittedBy.size, 1_000)
  assert.equal(catalog.permissionLists.get('LIST_999')?.size, 10_000)
})

function problemsOf(document: unknown): string[] {
  const parsed = parseConfiguration(document)
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : []
}

function parse(document: unknown): Configuration {
  const parsed = parseConfiguration(document)
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'))
  return parsed.configuration
}

function compile(document: unknown) {
  const configuration = parse(document)
  class Handler {
    onRequest(): never {
      throw new Error('is not called here')
    }
  }
  const handlers = new Map<string, HandlerClass>(
    configuration.operations.map(({ handler = '' }) => [String(handler), Handler]),
  )
  return compileCatalog(configuration, handlers)
}

function withOperations(...operations: readonly object[]) {
  const [local] = sample.nodes
  const usual = { service: 'REFERENCE', name: 'SAMPLE', method: 'GET', handler: 'handlers/sample.ts' }
  return {
    nodes: [local],
    services: sample.services,
    operations: operations.map((operation) => ({ ...usual, ...operation })),
  }
}

function manyOperations(count: number) {
  const usual = {
    service: 'REFERENCE',
    method: 'GET',
    handler: 'handlers/sample.ts',
    documentTemplate: 'ECHO_PARAMETERS',
  }
  const uriTemplates = [
    '/',
    'echo/{parameter1}',
    'echo/{parameter1}/{list}',
    'echo/?value-to-echo={parameter1}',
    'all{?list*}',
  ]
  return {
    ...structuredClone(sample),
    operations: Array.from({ length: count }, (_, index) => ({ ...usual, name: `OPERATION_${index}`, uriTemplates })),
    permissionLists: Array.from({ length: 1_000 }, (_, index) => ({ name: `LIST_${index}`, services: ['REFERENCE'] })),
  }
}

test('2.12, 18.22 a large configuration is checked in many small steps, which find the same errors as one', () => {
  const check = (input: unknown) => {
    const steps = parseSteps(input)
    let count = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) count += 1
    assert.ok(count > 2 * 200, `${count} steps`)
    return step.value
  }
  const many = defineMany(200)
  assert.deepEqual(check(many), { configuration: configurationSchema.parse(many) })
  const { operations = [] } = many
  const faulty = operations.map((one, at) => (at % 50 === 7 ? { ...one, version: 'x' } : one))
  const found = check({ ...many, operations: faulty, nodes: 'none', routings: [] })
  assert.deepEqual('problems' in found && found.problems.map(({ path }) => path), [
    'nodes',
    ...[7, 57, 107, 157].map((at) => `operations[${at}].version`),
    'routings',
  ])
})
