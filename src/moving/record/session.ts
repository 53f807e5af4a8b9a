/** What one session of `ig record` has seen: calls as recordings, counted, masked and bounded (specification 38.2 to 38.4). */

import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decompress } from '../../base/decompress.ts'
import { setImmediate } from '../../base/timers.ts'
import { listHeaders, listRequestHeaders } from '../../model/call.ts'
import { methods } from '../../model/operation-terms.ts'
import { Refusal } from '../../model/refusal.ts'
import { readClaim } from '../import/infer-verification.ts'
import { placeOperation, placeUrl } from '../import/place-url.ts'
import { keepHeaders, type Recording, readContentType } from '../import/recording.ts'
import { type Claim, mergeClaims, nameOf, open } from '../import/verification.ts'
import type { BodyTaker, RecordedExchange } from './forward.ts'
import { type Masking, maskBody } from './mask-body.ts'

export interface SessionOptions {
  readonly masking: Masking
  /** Where bodies are written, masked, under their digests. */
  readonly bodies: string
}

export interface RecordingSession {
  observe(exchanged: RecordedExchange): BodyTaker | undefined
  readonly recordings: readonly Recording[]
  /** Reasons why calls are not in the project, with their number. */
  readonly unexpressed: ReadonlyMap<string, number>
  /** All calls, by operation: `Person.v1 GET`. */
  readonly calls: ReadonlyMap<string, number>
}

/** Longer bodies pass, and are not recorded. */
export const maxBody = 4 * 1024 * 1024
/** The page of the original that clients and monitors look for words in. */
const refusalPage = /^\s*<HTML><HEAD><TITLE>RESTListeningConnector<\/TITLE>/i
/** Different calls of a session. */
const maxRecorded = 20_000
const maxKey = 200
/** Bytes of bodies that are received at one moment. */
const maxPending = 64 * 1024 * 1024

export function openSession({ masking, bodies }: SessionOptions): RecordingSession {
  /** Recordings in the order of their last answer. */
  const recordings = new Map<string, Recording>()
  const unexpressed = new Map<string, number>()
  const calls = new Map<string, number>()
  /** Claims by operation, also those of calls that are not recorded. */
  const claims = new Map<string, Claim>()
  /** Method and target of a read → its latest answer. */
  const latest = new Map<string, LatestAnswer>()
  /** How many successful calls may have changed something, and how many answers to reads differed from the one before. */
  let changes = 0
  let differences = 0
  let pending = 0
  const leaveOut = (reason: string): undefined => {
    unexpressed.set(reason, (unexpressed.get(reason) ?? 0) + 1)
  }
  const count = (operation: string) => void calls.set(operation, (calls.get(operation) ?? 0) + 1)

  const begin = ({ call, status, headers }: RecordedExchange): BodyTaker | undefined => {
    const method = methods.find((known) => known === call.method)
    if (!method) return leaveOut('a method that no operation has')
    const placed = tryPlace(call.target)
    const url = placed ?? placeOperation(call.target)
    if (url?.node === undefined) return leaveOut('a URL that does not name <node>/<operation>.v<number>')
    const operation = nameOf({ ...url, method })
    const pairs = listHeaders({ headers })
    const claim = readClaim({ url, headers: listRequestHeaders(call), status, answerHeaders: pairs }, open)
    claims.set(operation, mergeClaims([claims.get(operation) ?? claim, claim]))
    if (placed === undefined) return leaveOut('a URL that is malformed or too long')
    if (status === 304) return leaveOut('304, which has no body: clear the cache of the client')
    if (status < 200 || status > 599) return leaveOut('a status that is not final')
    count(operation)
    const isRead = method === 'GET' || method === 'HEAD'
    if (!isRead && status < 400) changes += 1
    const key = keyOf(call)
    const now = changes
    const find = (name: string) => pairs.find(([known]) => known === name)?.[1]
    const stated = readContentType(find('content-type') ?? '')
    const contentType = stated ?? 'application/octet-stream'
    let pieces: Buffer[] = []
    let size = 0
    let why: string | undefined
    const drop = (reason: string) => {
      why = reason
      pending -= size
      size = 0
      pieces = []
    }
    return {
      take(piece) {
        if (why !== undefined) return
        size += piece.length
        pending += piece.length
        if (size > maxBody) drop(`an answer of more than ${maxBody / 1024 / 1024} MiB`)
        else if (pending > maxPending) drop('too many long answers at one moment')
        else pieces.push(Buffer.from(piece))
      },
      end(isWhole) {
        pending -= size
        if (!isWhole) why = 'an answer that was cut off'
        const finish = () => {
          if (why !== undefined) return leaveOut(why)
          const body = decompress(Buffer.concat(pieces), find('content-encoding'), 4 * maxBody)
          if (body === undefined) return leaveOut('an answer in an encoding that cannot be read')
          if (refusalPage.test(body.toString('latin1', 0, 200)))
            return leaveOut('a refusal of the original: not authorized, or no such operation')
          // Of equal answers in a row the first and the last show what has changed them (16.17)
          const digest = `${status} ${contentType} ${hash('sha256', body)}`
          const before = latest.get(key)
          const isSame = isRead && before?.digest === digest
          if (isRead && !isSame) differences += 1
          const first = isSame ? before.first : `${key} ${status} ${isRead ? now : differences}`
          const id = isSame && (before.id !== first || before.changes < now) ? `${first} again` : first
          if (!recordings.has(id) && recordings.size >= maxRecorded)
            return leaveOut(`more than ${maxRecorded} different calls in one session`)
          latest.set(key, { first, id, digest, changes: now })
          const masked = maskBody(body, contentType, masking)
          if (stated === undefined && body.length > 0) leaveOut(`no usable content type: the row has ${contentType}`)
          if (masked === undefined) leaveOut('content that cannot be masked: the row has an empty body')
          const source = hash('sha256', masked ?? '').slice(0, 32)
          writeFileSync(join(bodies, source), masked ?? '')
          const kept = keepAnswerHeaders(pairs, masking)
          const answer = { status, contentType, headers: kept, body: { source } }
          recordings.delete(id)
          recordings.set(id, { place: id, method, url, claim, answer })
        }
        setImmediate(() => {
          try {
            finish()
          } catch (error) {
            leaveOut(error instanceof RangeError ? 'an answer that is nested too deeply' : (error as Error).message)
          }
        })
      },
    }
  }
  return {
    get recordings() {
      return [...recordings.values()].map((one) => ({
        ...one,
        claim: claims.get(nameOf({ ...one.url, ...one })) ?? one.claim,
      }))
    },
    unexpressed,
    calls,
    observe: begin,
  }
}

interface LatestAnswer {
  readonly digest: string
  /** The id of the first of the equal answers in a row. */
  readonly first: string
  readonly id: string
  readonly changes: number
}

function keyOf({ method, target }: RecordedExchange['call']): string {
  return `${method} ${target.length > maxKey ? hash('sha256', target) : target}`
}

function tryPlace(target: string): ReturnType<typeof placeUrl> | undefined {
  try {
    return placeUrl(target)
  } catch (error) {
    if (error instanceof Refusal || (error instanceof Error && error.constructor === Error)) return undefined
    throw error
  }
}

/** Headers that are left out: clients would not understand their addresses and names once they were masked. */
const unmaskable = ['location', 'link', 'content-disposition']

function keepAnswerHeaders(pairs: readonly (readonly [string, string])[], { isFull, pseudonyms }: Masking) {
  const kept = keepHeaders(pairs)
  if (!isFull) return kept
  const entries = Object.entries(kept).filter(([name]) => !unmaskable.includes(name))
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'etag' ? pseudonyms.of(value) : value]))
}
