/**
 * Serves API descriptions (specification 12.1 to 12.3): each caller gets the operations that it may call; without any,
 * or if `ig.describe` is `none`, the path is as unknown as any other.
 */

import { inSlices } from '../../base/in-slices.ts'
import { writeOpenApi } from '../../describe/openapi.ts'
import { selectOperations } from '../../describe/select-operations.ts'
import { writeWadl } from '../../describe/wadl.ts'
import type { Call, OperationResponse, ReplyBody } from '../../model/call.ts'
import type { Catalog } from '../../model/catalog.ts'
import type { Operator } from '../../model/operator.ts'
import { Refusal } from '../../model/refusal.ts'
import type { Transaction } from '../../model/transaction.ts'
import type { DescriptionTarget } from '../../model/uri/target.ts'
import type { Settings } from '../../settings.ts'
import { authenticate, type Known } from '../authenticate.ts'

export interface DescribeParts extends Known {
  readonly settings: Settings
}

/** @throws Refusal basicRejected, tokenRejected, pathUnknown */
export async function describeApi(
  { ofService: service, format }: DescriptionTarget,
  call: Call,
  transaction: Transaction,
  catalog: Catalog,
  parts: DescribeParts,
): Promise<OperationResponse> {
  const operator = await findCaller(call, service, format, catalog, parts)
  transaction.operator = operator
  if (selectOperations(catalog, { service, operator }).length === 0) throw unknown('nothing that the caller may call')
  const body = await recallDescription(`${service ?? ''}.${format}`, operator, catalog, () => {
    const options = { operator, baseUrl: parts.settings.describeBaseUrl, settings: parts.settings }
    return service !== undefined && format === '1.wadl'
      ? writeWadl(catalog, { ...options, service })
      : writeOpenApi(catalog, { ...options, service })
  })
  return { status: 200, headers: ['content-type', contentTypes[format], ...ownHeaders], body }
}

const contentTypes: Readonly<Record<DescriptionTarget['format'], string>> = {
  '1.wadl': 'application/vnd.sun.wadl+xml',
  'openapi.json': 'application/json',
}
/** It depends on the caller. */
const ownHeaders = ['cache-control', 'private, no-cache', 'vary', 'authorization']

/** As for an operation without verification; but if anonymous callers may call nothing, they learn nothing either. */
async function findCaller(
  call: Call,
  service: string | undefined,
  format: string,
  catalog: Catalog,
  known: Known,
): Promise<Operator> {
  const description = { id: 'description', verification: 'NONE', alias: service ?? '*', version: format } as const
  try {
    return await authenticate(call, description, catalog, known)
  } catch (error) {
    throw error instanceof Refusal && error.code === 'permissionDenied' ? unknown(error.message) : error
  }
}

function unknown(reason: string): Refusal {
  return new Refusal('pathUnknown', reason)
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
