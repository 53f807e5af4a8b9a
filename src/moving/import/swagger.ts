/**
 * Swagger 2.0 as OpenAPI 3.0, by a converter that is loaded for such documents only (specification 16.8). What it would
 * fail on, or lose, is left out or replaced before, with a note.
 */
import { upgradeFromTwoToThree } from '@scalar/openapi-upgrader/2.0-to-3.0'
import type { Problem } from '../../model/problem.ts'
import { type ImportResult, nothingFound } from './imported-operations.ts'
import { asList, asObject, type Json } from './json-reference.ts'
import { listOf, type Note, objectOf } from './members.ts'
import { importOpenApi } from './openapi.ts'

export function importSwagger(input: unknown): ImportResult {
  const notices: Problem[] = []
  const converted = tryConvert(asObject(input), (path, message) => void notices.push({ path, message }))
  if (typeof converted === 'string') {
    const problems = [{ path: 'swagger', message: `2.0 cannot be converted to OpenAPI 3: ${converted}` }]
    return { ...nothingFound, notices, problems }
  }
  const imported = importOpenApi(converted)
  return { ...imported, notices: [...notices, ...imported.notices] }
}

/** @returns why not, if the converter fails */
function tryConvert(document: Json, note: Note): Json | string {
  try {
    return convert(document, note)
  } catch (error) {
    return (error as Error).message
  }
}

function convert(document: Json, note: Note): Json {
  const shared = Object.entries(objectOf(document, 'parameters', 'the document', note))
  const read: Json = {
    ...document,
    consumes: readTypes(document.consumes),
    produces: readTypes(document.produces),
    definitions: asObject(document.definitions),
    parameters: Object.fromEntries(
      shared.flatMap(([name, one]) => {
        return readParameter(one, `parameters.${name}`, document, note).map((parameter) => [name, parameter])
      }),
    ),
    responses: objectsOf(document, 'responses', 'the document', note),
    securityDefinitions: objectsOf(document, 'securityDefinitions', 'the document', note),
  }
  const items = Object.entries(asObject(document.paths)).map(([path, item]) => {
    return [path, readItem(asObject(item), path, read, note)] as const
  })
  const upgrade = (paths: Json, produces: Json[string]) =>
    asObject(upgradeFromTwoToThree(structuredClone({ ...read, produces, paths })))
  // An operation's media types stand before those of the document, which the converter takes first.
  const { paths } = upgrade(Object.fromEntries(items), undefined)
  return { ...upgrade({}, read.produces), paths: addOthers(asObject(document.paths), asObject(paths)) }
}

/** What the converter does not take counts for the verification, and is noted, as in OpenAPI 3. */
function addOthers(given: Json, converted: Json): Json {
  const items = Object.entries(given).map(([path, item]) => {
    return [path, isObject(item) ? { ...item, ...asObject(converted[path]) } : item] as const
  })
  return Object.fromEntries(items)
}

function isObject(value: unknown): value is Json {
  return asObject(value) === value
}

const verbs = ['get', 'post', 'put', 'delete', 'patch', 'head', 'options']

function readItem(item: Json, path: string, document: Json, note: Note): Json {
  const operations = verbs.flatMap((verb) => {
    const read = item[verb]
    if (!isObject(read)) return []
    const place = `${verb.toUpperCase()} ${path}`
    const isReference = read.$ref !== undefined // what it lacks is in its target
    return [
      [
        verb,
        {
          ...read,
          consumes: readTypes(read.consumes) ?? document.consumes,
          produces: readTypes(read.produces) ?? document.produces,
          ...((!isReference || read.parameters !== undefined) && {
            parameters: readParameters(read, place, document, note),
          }),
          ...((!isReference || read.responses !== undefined) && {
            responses: objectsOf(read, 'responses', place, note),
          }),
        },
      ] as const,
    ]
  })
  return {
    parameters: readParameters(item, path, document, note),
    ...Object.fromEntries(operations),
  }
}

function readTypes(types: unknown): readonly string[] | undefined {
  const read = asList(types).filter((one) => typeof one === 'string')
  return read.length > 0 ? read : undefined
}

function objectsOf(owner: Json, name: string, place: string, note: Note): Json {
  const entries = Object.entries(objectOf(owner, name, place, note))
  for (const [key, one] of entries) if (!isObject(one)) note(place, `leaves out ${name} "${key}", which is no object`)
  return Object.fromEntries(entries.filter(([, one]) => isObject(one)))
}

function readParameters(owner: Json, place: string, document: Json, note: Note): readonly Json[] {
  return listOf(owner, 'parameters', place, note).flatMap((one) => readParameter(one, place, document, note))
}

/** What OpenAPI 3 has of the formats of lists; any other is a text. */
const formats: Readonly<Record<string, readonly unknown[]>> = {
  query: [undefined, 'csv', 'multi', 'pipes', 'ssv'],
  path: [undefined, 'csv'],
}

function readParameter(given: unknown, place: string, document: Json, note: Note): readonly Json[] {
  const parameter = asObject(given)
  const { $ref, in: where, name, type, collectionFormat } = parameter
  if (typeof $ref === 'string') {
    const target = asObject(asObject(document.parameters)[$ref.replace(/^#\/parameters\//, '')])
    return target.in === 'body' || target.in === 'formData' ? [target] : [parameter]
  }
  if (typeof where !== 'string') {
    note(place, 'leaves out a parameter that has no place (in)')
    return []
  }
  if (type !== 'array' || (formats[where] ?? [collectionFormat]).includes(collectionFormat)) return [parameter]
  note(place, `takes the parameter "${String(name)}" as one text: list in the format ${String(collectionFormat)}`)
  const { items: _, collectionFormat: __, ...rest } = parameter
  return [{ ...rest, type: 'string' }]
}
