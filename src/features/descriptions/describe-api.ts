/**
 * Serves API descriptions (specification 12.1 to 12.3): each caller gets the operations that it may call; without any,
 * or if `ig.describe` is `none`, the path is as unknown as any other.
 */
import { inSlices } from '../../base/in-slices.ts'
import type { Catalog } from '../../configuration/catalog.ts'
import type { OperationResponse, ReplyBody } from '../../model/call.ts'
import type { Operator } from '../../model/operator.ts'
import { Refusal } from '../../model/refusal.ts'
import { connector } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'
import type { FindTarget } from '../../steps/read-target.ts'
import { streamOpenApi } from './openapi.ts'
import { selectOperations } from './select-operations.ts'
import { writeWadl } from './wadl.ts'

/** `<SERVICE>.1.wadl`, `<SERVICE>.openapi.json` or `openapi.json`, directly below the connector and without a query. */
export function findDescriptions(settings: Settings): FindTarget | undefined {
  if (settings.describe === 'none') return undefined
  const place = `/${settings.gatewayPath}/${connector}/`
  return ({ method }, { rawPath, rawQuery }, catalog) => {
    if ((method !== 'GET' && method !== 'HEAD') || rawQuery !== undefined || !rawPath.startsWith(place))
      return undefined
    const file = rawPath.slice(place.length)
    const [isDescription, service, ofService, ofAll] = names.exec(file) ?? []
    if (isDescription === undefined) return undefined
    const format = (ofService ?? ofAll) as Format
    return {
      kind: 'path',
      name: '(description)',
      meaning: 'an API description, of what the caller may call',
      called: { segment: `${service ?? '*'}.${format}` },
      answer: (operator) => describeApi(service, format, operator, catalog, settings),
    }
  }
}

const names = /^(?:([A-Z][A-Z0-9_]{0,29})\.(1\.wadl|openapi\.json)|(openapi\.json))$/

type Format = keyof typeof contentTypes

const contentTypes = {
  '1.wadl': 'application/vnd.sun.wadl+xml',
  'openapi.json': 'application/json',
} as const
/** It depends on the caller. */
const ownHeaders = ['cache-control', 'private, no-cache', 'vary', 'authorization']

/** @param service undefined: all @throws Refusal pathUnknown */
async function describeApi(
  service: string | undefined,
  format: Format,
  operator: Operator,
  catalog: Catalog,
  settings: Settings,
): Promise<OperationResponse> {
  if (selectOperations(catalog, { service, operator }).length === 0)
    throw new Refusal('pathUnknown', 'nothing that the caller may call')
  const body = await recallDescription(`${service ?? ''}.${format}`, operator, catalog, () => {
    const options = { operator, baseUrl: settings.describeBaseUrl, settings }
    return service !== undefined && format === '1.wadl'
      ? writeWadl(catalog, { ...options, service })
      : streamOpenApi(catalog, { ...options, service })
  })
  return { status: 200, headers: ['content-type', contentTypes[format], ...ownHeaders], body }
}

const maxRememberedBytes = 64 * 1024 * 1024

interface Descriptions {
  readonly written: Map<string, ReplyBody>
  readonly beingWritten: Map<string, Promise<ReplyBody>>
}

const remembered = new WeakMap<Catalog, Descriptions>()

/**
 * Describing ten thousand operations takes seconds: it runs between calls, and callers with the same permission lists
 * share the result.
 */
async function recallDescription(
  name: string,
  operator: Operator,
  catalog: Catalog,
  write: () => Generator<string>,
): Promise<ReplyBody> {
  const descriptions: Descriptions = remembered.get(catalog) ?? { written: new Map(), beingWritten: new Map() }
  remembered.set(catalog, descriptions)
  const { written, beingWritten } = descriptions
  const key = JSON.stringify([name, ...[...new Set(operator.permissionLists)].sort()])
  const known = written.get(key) ?? beingWritten.get(key)
  if (known) return known

  const writing = inSlices(encode(write()))
  beingWritten.set(key, writing)
  try {
    const body = await writing
    written.set(key, body)
    forgetOldest(written)
    return body
  } finally {
    beingWritten.delete(key)
  }
}

function* encode(pieces: Iterable<string>): Generator<void, ReplyBody> {
  const chunks: Buffer[] = []
  for (const piece of pieces) {
    if (piece !== '') chunks.push(Buffer.from(piece))
    yield
  }
  return { bytes: Buffer.concat(chunks) }
}

function forgetOldest(written: Map<string, ReplyBody>): void {
  let total = [...written.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  for (const [oldest, { bytes }] of written) {
    if (total <= maxRememberedBytes) break
    written.delete(oldest)
    total -= bytes.length
  }
}
