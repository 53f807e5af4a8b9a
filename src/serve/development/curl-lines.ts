/**
 * A curl command for every operation: URLs from its templates with sample values (of a substitute its own),
 * and credentials of a sample operator that may call it (specification 9.15). It treats no operation specially.
 */

import { quoteShell } from '../../base/escape.ts'
import type { SampleOperator } from '../../configuration/sample-operator.ts'
import { sampleBody } from '../../model/content/sample-body.ts'
import type { Operation } from '../../model/operation.ts'
import type { Operator } from '../../model/operator.ts'
import { findPermission } from '../../model/permission.ts'
import { sampleValue } from '../../model/sample-value.ts'
import { handsOutTokens } from '../../model/session-token-handler.ts'
import { buildUri } from '../../model/uri/build-uri.ts'
import type { UriTemplate } from '../../model/uri/uri-template.ts'
import { verificationOf } from '../../model/verification.ts'

export interface CurlOptions {
  readonly operations: Iterable<Operation>
  /** Up to the node: `http://127.0.0.1:8080/PSIGW/RESTListeningConnector/LOCAL_NODE`. */
  readonly base: string
  /** The same over TLS, if the gateway has a TLS listener. */
  readonly secureBase: string | undefined
  readonly anonymous: Operator | undefined
  readonly operators: ReadonlyMap<string, Operator>
  readonly samples: readonly SampleOperator[]
  /** The token endpoint of the sample issuer, if it runs. */
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
  const { needsTls, allowsAnonymous, takes } = verificationOf(operation.verification)
  const { mode, header, curl, issuedBy } = verificationOf(takes[0])
  const isSecure = needsTls || header === undefined // a certificate is presented over TLS
  const base = isSecure ? options.secureBase : options.base
  if (base === undefined) return []
  const path = template ? fillTemplate(template, operation) : '/'
  if (path === undefined) return []
  const url = quoteShell(`${base}/${operation.segment}${path}`)
  const { anonymous, operators, samples } = options
  const sample = samples.find(({ id }) => mayCall(operators.get(id), operation))
  const isAnonymous = allowsAnonymous && (mayCall(anonymous, operation) || !sample)
  const given = sample && {
    user: quoteShell(`${sample.id}:${sample.password}`),
    token: issuedBy && tokens[issuedBy](sample, options),
  }
  const argument = isAnonymous ? [] : [curl(given)]
  const parts = ['curl', ...(isSecure ? ['--insecure'] : []), ...argument, ...methodArguments(operation), url]
  return [{ operation, credentials: isAnonymous ? 'no credentials' : mode, line: parts.join(' ') }]
}

/** Commands that get a token for a sample operator, by its issuer. */
const tokens = { provider: fetchAccessToken, gateway: fetchSessionToken }

function fetchAccessToken({ id, clientSecret }: SampleOperator, { tokenEndpoint }: CurlOptions): string | undefined {
  if (!clientSecret || !tokenEndpoint) return undefined
  const client = quoteShell(`${id}:${clientSecret}`)
  return `$(curl -s -u ${client} -d grant_type=client_credentials ${quoteShell(tokenEndpoint)} | grep -o 'eyJ[^"]*')`
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

/** The sample operator signs in at an operation that hands out tokens. */
function fetchSessionToken(sample: SampleOperator, options: CurlOptions): string | undefined {
  const operator = options.operators.get(sample.id)
  const signIn = [...options.operations].find((one) => {
    const { isPassword, needsTls } = verificationOf(one.verification)
    return handsOutTokens(one.handler) && isPassword && !needsTls && mayCall(operator, one)
  })
  const [template] = signIn?.templates ?? []
  const path = template && signIn && fillTemplate(template, signIn)
  if (!signIn || path === undefined) return undefined
  const user = quoteShell(`${sample.id}:${sample.password}`)
  const url = quoteShell(`${options.base}/${signIn.segment}${path}`)
  return `$(curl -s -u ${user} ${url} | grep -o 'eyJ[^"]*')`
}

function mayCall(operator: Operator | undefined, operation: Operation): boolean {
  return operator !== undefined && findPermission(operator, operation).isAllowed
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
  const recorded = operation.substitute?.sampleValues?.(template, document)
  const optional = new Set(
    template.query.flatMap(({ variable, ...part }) =>
      variable && 'isOptional' in part && part.isOptional ? [variable.element.name] : [],
    ),
  )
  const values: Record<string, string | readonly string[]> = {}
  for (const name of template.variables) {
    const element = document?.elements.get(name)
    const texts = given.get(name) ?? recorded?.get(name)
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
