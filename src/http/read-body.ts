/** How a handler gets the body of its call: spooled (specification 5.10), or piece by piece as it arrives, at its own pace (36.6). */
import { Readable } from 'node:stream'
import type { BodyStream, SpooledBody } from '../model/call.ts'
import type { Body } from './body.ts'
import type { Spool } from './spool.ts'

/** Megabytes of chunks of one byte each take seconds to read: after so many pieces, others have their turn. */
const piecesBetweenRests = 256

/** @param take gets each piece as it arrives */
export function spoolBody(body: Body, spool: Spool, take?: (piece: Uint8Array) => void): Promise<SpooledBody> {
  const { promise, resolve, reject } = Promise.withResolvers<SpooledBody>()
  const goOn = () => body.goOn()
  let pieces = 0
  body.readTo({
    write(bytes) {
      take?.(bytes)
      const writing = spool.write(bytes)
      pieces += 1
      if (writing) writing.then(goOn, (error) => body.fail(error))
      else if (pieces % piecesBetweenRests === 0) setImmediate(goOn)
      else return true
      return false
    },
    end: (failure) => (failure ? reject(failure) : resolve(spool.body)),
  })
  return promise
}

/** Nothing is spooled. */
export function streamBody(body: Body): BodyStream {
  let read = () => {
    read = () => body.goOn()
    body.readTo({
      write: (bytes) => pieces.push(bytes),
      end: (failure) => (failure ? pieces.destroy(failure) : pieces.push(null)),
    })
  }
  const pieces = new Readable({ highWaterMark: 1, read: () => read() })
  pieces.on('error', () => {}) // its reader may have gone
  return { size: body.size, pieces: () => pieces }
}
