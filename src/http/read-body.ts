/** How a handler gets the body of its call: spooled (specification 5.10), or piece by piece as it arrives, at its own pace (36.6). */
import { Readable } from 'node:stream'
import type { BodyStream, SpooledBody } from '../model/call.ts'
import { Refusal } from '../model/refusal.ts'
import type { Body } from './body.ts'
import { openSpool, type SpoolOptions } from './spool.ts'

/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

const unwanted = new Refusal('bodyMalformed', 'the body was no longer needed')

export interface BodyReader<Read> {
  readonly body: Read
  /** Nothing more is wanted, and what was spooled is removed. Undefined where there is nothing to wait for. */
  close(): Promise<void> | undefined
}

/** @param take gets each piece as it arrives */
export function spoolBody(
  body: Body,
  options: SpoolOptions,
  take?: (piece: Uint8Array) => void,
): BodyReader<Promise<SpooledBody>> {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const spool = openSpool(options)
  const goOn = () => body.goOn()
  let writing: Promise<void> | undefined
  let pieces = 0
  body.readTo({
    write(bytes) {
      take?.(bytes)
      writing = spool.write(bytes)
      pieces += 1
      if (writing) writing.then(goOn, (error) => body.fail(error))
      else if (pieces % piecesBetweenRests === 0) setImmediate(goOn)
      else return true
      return false
    },
    end: (failure) => (failure ? reject(failure) : resolve(spool.body)),
  })
  const closeLate = async () => {
    await writing?.catch(() => {}) // it has the file until then
    await spool.body.close()
  }
  return {
    body: promise,
    close() {
      body.fail(unwanted)
      return writing ? closeLate() : spool.body.close()
    },
  }
}

/** Nothing is spooled. */
export function streamBody(body: Body): BodyReader<BodyStream> {
  let read = () => {
    read = () => body.goOn()
    body.readTo({
      write: (bytes) => pieces.push(bytes),
      end: (failure) => (failure ? pieces.destroy(failure) : pieces.push(null)),
    })
  }
  const pieces = new Readable({ highWaterMark: 1, read: () => read() })
  pieces.on('error', () => {}) // its reader may have gone
  return {
    body: { size: body.size, pieces: () => pieces },
    close: () => void body.fail(unwanted),
  }
}
