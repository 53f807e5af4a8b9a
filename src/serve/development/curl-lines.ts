/**
 * A curl command for every operation: URLs from its templates with sample values (for a stand-in the recorded ones),
 * and credentials of a sample operator that may call it (specification 9.15). It treats no operation specially.
 */

import { quoteShell } from '../../base/escape.ts'
import type { SampleOperator } from '../../model/configuration/sample-operator.ts'
import { sampleBody } from '../../model/content/sample-body.ts'
import type { Operation } from '../../model/operation.ts'
import type { Verification } from '../../model/operation-terms.ts'
import type { Operator } from '../../model/operator.ts'
import { sampleValue } from '../../model/sample-value.ts'
import { handsOutTokens } from '../../model/session-token-handler.ts'
import { buildUri } from '../../model/uri/build-uri.ts'
import type { UriTemplate } from '../../model/uri/uri-template.ts'

export interface CurlOptions {
  readonly operations: Iterable<Operation>
  /** Up to the node: `http://127.0.0.1:8080/PSIGW/RESTListeningConnector/LOCAL_NODE`. */
  readonly base: string
  /** The same over TLS, if the gateway has a TLS listener. */
  readonly secureBase: string | undefined
  readonly anonymous: Operator | undefined
  readonly operators: ReadonlyMap<string, Operator>
  readonly samples: readonly SampleOperator[]
  /** Of the sample issuer, if it runs. */
  readonly tokenEndpoint: string | undefined
}

export interface CurlExample {
  readonly operation: Operation
  /** How callers authenticate: `no credentials`, `Basic`, `OAuth2`, `Token`. */
  readonly credentials: string
  readonly line: string
}

export function writeCurlLines(options: CurlOptions): readonly CurlExample[] {
  return [...options.operations].flatMap((operation) => {
    const templates: readonly (UriTemplate | undefined)[] =
      operation.templates.length > 0 ? operation.templates : [undefined]
    return templates
      .toSorted((a, b) => (a?.index ?? 0) - (b?.index ?? 0))
      .flatMap((template) => writeExample(operation, template, options))
  })
}

function writeExample(
  operation: Operation,
  template: UriTemplate | undefined,
  options: CurlOptions,
): readonly CurlExample[] {
  const { needsTls, mode } = modes[operation.verification]
  const base = needsTls ? options.secureBase : options.base
  if (base === undefined) return []
  const path = template ? fillTemplate(template, operation) : '/'
  if (path === undefined) return []
  const url = quoteShell(`${base}/${operation.alias}.${operation.version}${path}`)
  const { credentials, argument } = findCredentials(mode, operation, options)
  const parts = ['curl', ...(needsTls ? ['--insecure'] : []), ...argument, ...methodArguments(operation), url]
  return [{ operation, credentials, line: parts.join(' ') }]
}

type CurlMode = 'none' | 'basic' | 'oauth2' | 'token' | 'certificate'

const modes: Readonly<Record<Verification, { readonly needsTls: boolean; readonly mode: CurlMode }>> = {
  NONE: { needsTls: false, mode: 'none' },
  SSL: { needsTls: true, mode: 'none' },
  Basic: { needsTls: false, mode: 'basic' },
  BasicSSL: { needsTls: true, mode: 'basic' },
  OAuth2: { needsTls: false, mode: 'oauth2' },
  OAuth2SSL: { needsTls: true, mode: 'oauth2' },
  Token: { needsTls: false, mode: 'token' },
  TokenSSL: { needsTls: true, mode: 'token' },
  Certificate: { needsTls: true, mode: 'certificate' },
}

function methodArguments(operation: Operation): readonly string[] {
  const { method } = operation
  if (method === 'GET') return []
  if (method === 'HEAD') return ['--head']
  if (method === 'DELETE') return ['-X DELETE']
  const { mediaType, text } = sampleBody(operation)
  const verb = method === 'POST' ? [] : [`-X ${method}`] // -d means POST
  const body = text === undefined ? '--data-binary @FILE' : `-d ${quoteShell(text)}`
  return [...verb, `-H ${quoteShell(`Content-Type: ${mediaType}`)}`, body]
}

interface Credentials {
  readonly credentials: string
  readonly argument: readonly string[]
}

/** Without credentials if the default user may call it, else as a sample operator that may, else with placeholders. */
function findCredentials(mode: CurlMode, operation: Operation, options: CurlOptions): Credentials {
  const { anonymous, operators, samples, tokenEndpoint } = options
  const sample = samples.find(({ id }) => mayCall(operators.get(id), operation))
  if (mode === 'none' && (mayCall(anonymous, operation) || !sample))
    return { credentials: 'no credentials', argument: [] }
  if (mode === 'token')
    return { credentials: 'Token', argument: [`-H "PS_TOKEN: ${findSessionToken(sample, options)}"`] }
  if (mode === 'certificate')
    return { credentials: 'Certificate', argument: ['--cert client.pem', '--key client-key.pem'] }
  if (mode !== 'oauth2')
    return {
      credentials: 'Basic',
      argument: [`-u ${quoteShell(sample ? `${sample.id}:${sample.password}` : 'OPERATOR:PASSWORD')}`],
    }
  if (!sample?.clientSecret || !tokenEndpoint)
    return { credentials: 'OAuth2', argument: ['-H "Authorization: Bearer $TOKEN"'] }
  const client = quoteShell(`${sample.id}:${sample.clientSecret}`)
  const fetchToken = `curl -s -u ${client} -d grant_type=client_credentials ${quoteShell(tokenEndpoint)} | grep -o 'eyJ[^"]*'`
  return { credentials: 'OAuth2', argument: [`-H "Authorization: Bearer $(${fetchToken})"`] }
}

/** The sample operator signs in at an operation that hands out tokens. */
function findSessionToken(sample: SampleOperator | undefined, options: CurlOptions): string {
  const operator = sample && options.operators.get(sample.id)
  const signIn = [...options.operations].find(
    (one) => handsOutTokens(one.handler) && one.verification === 'Basic' && mayCall(operator, one),
  )
  const [template] = signIn?.templates ?? []
  const path = template && signIn && fillTemplate(template, signIn)
  if (!sample || !signIn || path === undefined) return '$TOKEN'
  const user = quoteShell(`${sample.id}:${sample.password}`)
  const url = quoteShell(`${options.base}/${signIn.alias}.${signIn.version}${path}`)
  return `$(curl -s -u ${user} ${url} | grep -o 'eyJ[^"]*')`
}

function mayCall(operator: Operator | undefined, { permittedBy }: Operation): boolean {
  return operator !== undefined && !operator.isLocked && operator.permissionLists.some((name) => permittedBy.has(name))
}

/**
 * @param given values that replace sample values
 * @returns undefined if the template cannot carry the values
 */
export function fillTemplate(
  template: UriTemplate,
  operation: Operation,
  given: ReadonlyMap<string, readonly string[]> = new Map(),
): string | undefined {
  const { document, templates } = operation
  const recorded = findRecorded(template, operation)
  const optional = new Set(
    template.query.flatMap(({ variable, ...part }) =>
      variable && 'isOptional' in part && part.isOptional ? [variable.element.name] : [],
    ),
  )
  const values: Record<string, string | readonly string[]> = {}
  for (const name of template.variables) {
    const element = document?.elements.get(name)
    const texts = given.get(name) ?? recorded.get(name)
    if (!element || (optional.has(name) && !element.isRequired && !texts)) continue
    const [first = ''] = texts ?? [sampleValue(element)]
    values[name] = element.isCollection ? (texts ?? [first]) : first
  }
  try {
    return buildUri(template, values, templates)
  } catch {
    return undefined
  }
}

/** A stand-in answers only recorded requests: uses the values of its first successful row. */
function findRecorded(template: UriTemplate, operation: Operation): ReadonlyMap<string, readonly string[]> {
  const { fixture = [], response, document } = operation
  const rows = fixture.filter(
    (row) =>
      row.after === undefined &&
      (row.template === undefined || row.template === template.source) &&
      Object.keys(row.parameters ?? {}).every((name) => template.variables.includes(name)),
  )
  const row = rows.find(({ status = response.httpCode }) => status < 300) ?? rows[0]
  const isList = (name: string) => document?.elements.get(name)?.isCollection === true
  const texts = Object.entries(row?.parameters ?? {})
  return new Map(texts.map(([name, text]) => [name, isList(name) ? text.split(',') : [text]]))
}
