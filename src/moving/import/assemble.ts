/**
 * Turns imported operations into the configuration of a project and the files of its responses (specification 16.8).
 */
import { sampleIssuerUrl } from '../../configuration/sample-issuer.ts'
import { operationIdOf, segmentOf } from '../../model/operation-name.ts'
import type { Problem } from '../../model/problem.ts'
import { verificationOf } from '../../model/verification.ts'
import type { FoundElement, FoundOperation, FoundRow, ImportedOperations } from './imported-operations.ts'
import { noteRenamed, openNames, toAlias, toName, toOperationName } from './names.ts'
import { defaultGatewayPath } from './place-url.ts'
import { type ChangingCall, extensionOf, type RecordedBody } from './recording.ts'
import { isOpen } from './verification.ts'

export interface AssembledProject {
  /** The definition that `gateway.config.ts` gets. */
  readonly definition: Definition
  /** File below `fixtures/` → its content. */
  readonly files: ReadonlyMap<string, RecordedBody>
  readonly gatewayPath: string
  readonly notices: readonly Problem[]
  readonly operations: readonly ReviewedOperation[]
}

export interface ReviewedOperation {
  readonly id: string
  readonly method: string
  /** The segment of a URL: `ECHO.v1`. */
  readonly segment: string
  /** The same as it was recorded, whatever its name. */
  readonly recorded: string
  readonly verification: string
  readonly isDeclaredOpen: boolean
  readonly templates: FoundOperation['review']
  /** Rows of its fixture. */
  readonly rows: number
}

interface NamedItem {
  readonly name: string
  readonly [field: string]: unknown
}

export interface Definition {
  readonly nodes: readonly NamedItem[]
  readonly documents: readonly NamedItem[]
  readonly messages: readonly NamedItem[]
  readonly services: readonly NamedItem[]
  readonly operations: readonly (NamedItem & {
    readonly method: string
    readonly version: string
    readonly verification: string
  })[]
  readonly permissionLists: readonly NamedItem[]
  readonly oauth2ServiceApps?: readonly NamedItem[]
}

export const publicList = 'IMPORTED_PUBLIC'
export const fullList = 'IMPORTED_ALL'
export const defaultUser = 'GUEST'

/** @param grows later recordings are added to it: the names of files do not depend on how many there are, and who may call is there from the start */
export function assembleProject(
  { operations, nodes, gatewayPath, notices }: ImportedOperations,
  { grows = false } = {},
): AssembledProject {
  const names = openNames(toOperationName, 30)
  const aliases = openNames(toAlias, 60)
  const services = openNames(toName, 30)
  const nodeNames = openNames(toOperationName, 30)
  const owners = new Map<string, string>() // a name belongs to one service only
  const files = new Files(grows)
  const documents = openNames(toName, 30)
  const messages: NamedItem[] = []
  const elements: NamedItem[] = []
  const written = operations.map((operation) => {
    const name = names.nameOf(operation.alias)
    const alias = aliases.nameOf(operation.alias)
    const service = owners.get(name) ?? services.nameOf(operation.service)
    owners.set(name, service)
    const { method, version } = operation
    const id = operationIdOf({ name, method, version })
    const hasVariables = Object.keys(operation.elements).length > 0
    const document = hasVariables ? documents.nameOf(id.replace('.', '_')) : undefined
    if (document !== undefined) {
      elements.push({ name: document, elements: operation.elements satisfies Record<string, FoundElement> })
      messages.push({ name: document, document })
    }
    const segment = segmentOf({ alias, version })
    const recorded = segmentOf(operation)
    const asRecorded = `/${recorded}`
    const served = (url: string) => (url.startsWith(asRecorded) ? `/${segment}${url.slice(asRecorded.length)}` : url)
    const templates = operation.review.map((one) => ({ ...one, url: served(one.url) }))
    const { verification, isDeclaredOpen } = operation
    const review = {
      id,
      method,
      segment,
      recorded,
      verification,
      isDeclaredOpen,
      templates,
      rows: operation.rows.length,
    }
    const idOf = (call: ChangingCall) => operationIdOf({ ...call, name: names.nameOf(call.alias) })
    return { review, definition: { ...writeOperation(operation, { name, alias, service, document, idOf }, id, files) } }
  })
  written.sort((a, b) => compare(a.review.id, b.review.id))
  const definitions = written.map(({ definition }) => definition)
  const open = written.filter(({ review }) => isOpen(review)).map(({ review }) => review.id)
  const [defaultNode = 'LOCAL_NODE', ...others] = nodes.map((node) => nodeNames.nameOf(node))
  return {
    gatewayPath: gatewayPath ?? defaultGatewayPath,
    files: files.byName,
    operations: written.map(({ review }) => review),
    notices: [
      ...notices,
      ...noteRenamed('operation', names),
      ...noteRenamed('alias', aliases),
      ...noteRenamed('node', nodeNames),
    ],
    definition: {
      nodes: [
        { name: defaultNode, isDefaultLocal: true },
        ...others.map((name) => ({ name })),
        ...(grows || open.length > 0 ? [{ name: 'ANONYMOUS', defaultUser }] : []),
      ],
      documents: elements.sort((a, b) => compare(a.name, b.name)),
      messages: messages.sort((a, b) => compare(a.name, b.name)),
      services: [...new Set(definitions.map(({ service }) => service))].sort().map((name) => ({ name })),
      operations: definitions,
      permissionLists: [
        ...(grows || open.length > 0 ? [{ name: publicList, operations: open }] : []),
        { name: fullList, services: [...new Set(definitions.map(({ service }) => service))].sort() },
      ],
      ...(operations.some(needsProvider) ? { oauth2ServiceApps: [sampleIssuer] } : {}),
    },
  }
}

export function needsProvider({ verification }: { readonly verification: string }): boolean {
  return verificationOf(verification).issuedBy === 'provider'
}

/** The sample issuer of `ig dev` (specification 9.15), which issues tokens to call with. */
const sampleIssuer = {
  name: 'SAMPLE_ISSUER',
  issuer: sampleIssuerUrl,
  authorizationEndpoint: `${sampleIssuerUrl}/auth`,
  tokenEndpoint: `${sampleIssuerUrl}/token`,
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

interface Identity {
  readonly name: string
  readonly alias: string
  readonly service: string
  readonly document: string | undefined
  idOf(call: ChangingCall): string
}

function writeOperation(operation: FoundOperation, identity: Identity, id: string, files: Files) {
  const { name, alias, service, document, idOf } = identity
  const { method, version, description, verification, templates, rows, requestType } = operation
  const contentType = findMode(rows.map(({ answer }) => answer.contentType)) ?? defaultType
  const httpCode = findMode(rows.map(({ answer }) => answer.status).filter((status) => status < 300)) ?? 200
  const message = { ...(contentType === defaultType ? {} : { contentType }), ...(httpCode === 200 ? {} : { httpCode }) }
  const hasBody = ({ answer }: FoundRow) => answer.status !== 204 && answer.status !== 205
  const inOrder = rows.filter(hasBody).toSorted((a, b) => Number(Boolean(a.after)) - Number(Boolean(b.after))) // a later row renames no file
  const fileOf = new Map(inOrder.map((row) => [row, files.add(id, rows.length, row)]))
  const written = rows.map((row) => {
    const { answer, parameters, body = {}, after } = row
    const file = fileOf.get(row)
    const isStated =
      answer.contentType !== contentType ||
      (contentType === defaultType && extensionOf(contentType) !== extensionOf(answer.contentType))
    return {
      ...(templates.length > 1 && row.template !== undefined ? { template: row.template } : {}),
      ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
      ...(Object.keys(body).length > 0 ? { body } : {}),
      ...(after === undefined ? {} : { after: idOf(after) }),
      ...(file === undefined ? {} : { file }),
      ...(answer.status === httpCode ? {} : { status: answer.status }),
      ...(isStated ? { contentType: answer.contentType } : {}),
      ...(Object.keys(answer.headers).length > 0 ? { headers: answer.headers } : {}),
    }
  })
  const [only] = written
  const isOneFile = written.length === 1 && only?.file !== undefined && Object.keys(only).length === 1
  return {
    service,
    name,
    ...(alias === name ? {} : { alias }),
    method,
    version,
    ...(description ? { description } : {}),
    verification,
    ...(templates.length > 0 ? { uriTemplates: templates } : {}),
    ...(document === undefined ? {} : { documentTemplate: document }),
    ...(requestType === undefined ? {} : { requestMessage: { contentType: requestType } }),
    ...(Object.keys(message).length > 0 ? { responseMessage: message } : {}),
    fixture: isOneFile ? only.file : written,
  }
}

const defaultType = 'text/xml; encoding="UTF-8"'

function findMode<Value>(values: readonly Value[]): Value | undefined {
  const groups = [...Map.groupBy(values, (value) => value)].sort(([, a], [, b]) => b.length - a.length)
  return groups[0]?.[0]
}

/** No file on Windows, whatever its extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/** Names for response files, distinct without regard to letter case, as some file systems need. */
class Files {
  readonly byName = new Map<string, RecordedBody>()
  readonly #taken = new Set<string>()
  /** The next that may be free. */
  readonly #numbers = new Map<string, number>()
  readonly #grows: boolean

  constructor(grows: boolean) {
    this.#grows = grows
  }

  add(id: string, count: number, { parameters, answer }: FoundRow): string {
    const slug = Object.values(parameters)
      .join('-')
      .replace(/[^\w-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40)
    const stem = count === 1 && !this.#grows ? id : `${id}/${deviceName.test(slug) ? `_${slug}` : slug || 'answer'}`
    const extension = extensionOf(answer.contentType)
    const key = `${stem}.${extension}`
    for (let number = this.#numbers.get(key) ?? 1; ; number += 1) {
      const name = number === 1 ? key : `${stem}-${number}.${extension}`
      if (this.#taken.has(name.toLowerCase())) continue
      this.#taken.add(name.toLowerCase())
      this.#numbers.set(key, number + 1)
      this.byName.set(name, answer.body)
      return name
    }
  }
}
