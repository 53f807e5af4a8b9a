/** A project of as many operations as one likes, of every kind that a configuration can have. */
import { type Catalog, compileCatalog } from '../../src/configuration/catalog.ts'
import type { GatewayDefinition } from '../../src/configuration/configuration.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { primitiveTypes } from '../../src/model/document-template.ts'
import { methods } from '../../src/model/operation-terms.ts'
import { verificationNames } from '../../src/model/verification.ts'

class Stub {
  onRequest(): never {
    throw new Error('no one calls it')
  }
}

export function compileDefinition(definition: GatewayDefinition): Catalog {
  const parsed = parseConfiguration(definition)
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems.slice(0, 5), null, 2))
  const references = parsed.configuration.operations.map(({ handler = '' }) => [String(handler), Stub] as const)
  return compileCatalog(parsed.configuration, new Map(references))
}

const templateSets: readonly (readonly string[])[] = [
  [],
  ['/'],
  ['item/{string}', 'item/?number={integer}', 'item?mode=full&number={integer}'],
  ['{string}.{integer}/emplid={text}', '{string}{?date,time}'],
  ['all{?list*}', 'some/{list}', 'some?list={list}{&flag}'],
  // No %, which Spectral cannot read, and no second `name`, to whose slash Redocly objects.
  ['between{?datetime,decimal,binary,character,color}', 'between/{integer}/', 'name/'],
]
const contentTypes = ['text/xml; encoding="UTF-8"', 'application/json; encoding=UTF-8', 'text/html', 'image/png']

export function defineMany(count: number): GatewayDefinition {
  const services = Array.from({ length: 20 }, (_, at) => ({ name: `SERVICE_${at}`, description: `Service ${at}` }))
  const element = (type: (typeof primitiveTypes)[number]) => [type.toLowerCase(), { type, length: 12 }] as const
  const rename = (template: string, isRenamed: boolean) =>
    isRenamed ? template.replace('item/{string}', 'item/{text}') : template
  return {
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    documents: [
      {
        name: 'DOCUMENT',
        elements: {
          ...Object.fromEntries(primitiveTypes.map(element)),
          list: { type: 'Integer', isCollection: true },
          flag: { type: 'Boolean' },
          color: { type: 'String', values: ['red', 'green'] },
        },
      },
    ],
    messages: [{ name: 'PARAMETERS', document: 'DOCUMENT' }],
    services,
    operations: Array.from({ length: count }, (_, at) => {
      const group = Math.floor(at / methods.length) // all methods of a name share its paths
      const templates = templateSets[group % templateSets.length] ?? []
      return {
        service: `SERVICE_${group % services.length}`,
        name: `OPERATION_${group}`,
        method: methods[at % methods.length] ?? 'GET',
        version: `v${1 + (group % 3)}`,
        verification: verificationNames[(at + group) % verificationNames.length] ?? 'NONE',
        uriTemplates: templates.map((one) => rename(one, at % 2 === 1)),
        ...(templates.join('').includes('{') ? { documentTemplate: 'PARAMETERS' } : {}),
        requestMessage: { contentType: contentTypes[at % 4] ?? '' },
        responseMessage: {
          contentType: contentTypes[(at + group) % 4] ?? '',
          httpCode: [200, 201, 204][group % 3] ?? 200,
        },
        faultMessage: { httpCode: [500, 422, 200][at % 3] ?? 500 },
        errorStyle: ([undefined, 'standard', 'observed'] as const)[group % 3],
        ...(at % 7 === 0 ? {} : { description: `Does <something> of "kind" ${at} & more` }),
        handler: 'handlers/silent.ts',
      }
    }),
  }
}
