/**
 * Swagger 2.0 as OpenAPI 3.0, by a converter that is loaded for such documents only (specification 16.8). What it would
 * fail on, or lose, is left out or replaced before, with a note.
 */
import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0'
import type { Problem } from '../model/problem.ts'
import { asList, asObject, type Json } from './json-reference.ts'
import { type Imported, importOpenApi } from './openapi.ts'

export function importSwagger(input: unknown): Imported {
  const notices: Problem[] = []
  const converted = tryConvert(asObject(input), notices)
  if (typeof converted === 'string') {
    const problems = [{ path: 'swagger', message: `2.0 cannot be converted to OpenAPI 3: ${converted}` }]
    return { operations: [], nodes: [], gatewayPath: undefined, notices, problems }
  }
  const imported = importOpenApi(converted)
  return { ...imported, notices: [...notices, ...imported.notices] }
}

/** @returns why not, if the converter fails */
function tryConvert(document: Json, notices: Problem[]): Json | string {
  try {
    return convert(document, notices)
  } catch (error) {
    return (error as Error).message
  }
}

function convert(document: Json, notices: Problem[]): Json {
  const shared = Object.entries(asObject(document.parameters))
  const read: Json = {
    ...document,
    consumes: readTypes(document.consumes),
    produces: readTypes(document.produces),
    definitions: asObject(document.definitions),
    parameters: Object.fromEntries(
      shared.flatMap(([name, one]) => {
        return readParameter(one, `parameters.${name}`, document, notices).map((parameter) => [name, parameter])
      }),
    ),
    responses: objectsOf(document.responses, 'responses', notices),
    securityDefinitions: objectsOf(document.securityDefinitions, 'securityDefinitions', notices),
  }
  const items = Object.entries(asObject(document.paths)).map(([path, item]) => {
    return [path, readItem(asObject(item), path, read, notices)] as const
  })
  const upgrade = (paths: Json, produces: Json[string]) =>
    asObject(upgradeFromTwoToThree(structuredClone({ ...read, produces, paths })))
  // An operation's media types stand before those of the document, which the converter takes first.
  const { paths } = upgrade(Object.fromEntries(items), undefined)
  return { ...upgrade({}, read.produces), paths }
}

const verbs = ['get', 'post', 'put', 'delete', 'patch', 'head', 'options']

function readItem(item: Json, path: string, document: Json, notices: Problem[]): Json {
  const operations = verbs.flatMap((verb) => {
    const operation = item[verb]
    if (operation === undefined) return []
    const place = `${verb.toUpperCase()} ${path}`
    const read = asObject(operation)
    if (read !== operation) {
      notices.push({ path: place, message: 'is left out: it is no object' })
      return []
    }
    const isReference = read.$ref !== undefined // what it lacks is in its target
    return [
      [
        verb,
        {
          ...read,
          consumes: readTypes(read.consumes) ?? document.consumes,
          produces: readTypes(read.produces) ?? document.produces,
          ...((!isReference || read.parameters !== undefined) && {
            parameters: readParameters(read.parameters, place, document, notices),
          }),
          ...((!isReference || read.responses !== undefined) && {
            responses: objectsOf(read.responses, place, notices),
          }),
        },
      ] as const,
    ]
  })
  return {
    ...(item.$ref !== undefined && { $ref: item.$ref }),
    parameters: readParameters(item.parameters, path, document, notices),
    ...Object.fromEntries(operations),
  }
}

function readTypes(types: unknown): readonly string[] | undefined {
  const read = asList(types).filter((one) => typeof one === 'string')
  return read.length > 0 ? read : undefined
}

function objectsOf(given: unknown, place: string, notices: Problem[]): Json {
  const entries = Object.entries(asObject(given))
  const [objects, others] = [true, false].map((isObject) =>
    entries.filter(([, one]) => (typeof one === 'object' && one !== null) === isObject),
  )
  for (const [name] of others ?? []) notices.push({ path: place, message: `leaves out ${name}, which is no object` })
  return Object.fromEntries(objects ?? [])
}

function readParameters(given: unknown, place: string, document: Json, notices: Problem[]): readonly Json[] {
  return asList(given).flatMap((one) => readParameter(one, place, document, notices))
}

/** What OpenAPI 3 has of the formats of lists; any other is a text. */
const formats: Readonly<Record<string, readonly unknown[]>> = {
  query: [undefined, 'csv', 'multi', 'pipes', 'ssv'],
  path: [undefined, 'csv'],
}

function readParameter(given: unknown, place: string, document: Json, notices: Problem[]): readonly Json[] {
  const parameter = asObject(given)
  const { $ref, in: where, name, type, collectionFormat } = parameter
  if (typeof $ref === 'string') {
    const target = asObject(asObject(document.parameters)[$ref.replace(/^#\/parameters\//, '')])
    return target.in === 'body' || target.in === 'formData' ? [target] : [parameter]
  }
  if (typeof where !== 'string') {
    notices.push({ path: place, message: 'leaves out a parameter that has no place (in)' })
    return []
  }
  if (type !== 'array' || (formats[where] ?? [collectionFormat]).includes(collectionFormat)) return [parameter]
  const message = `takes the parameter ${String(name)} as one text: list in the format ${String(collectionFormat)}`
  notices.push({ path: place, message })
  const { items: _, collectionFormat: __, ...rest } = parameter
  return [{ ...rest, type: 'string' }]
}
