/**
 * Bytes of a body → text (specification 5.12). The encoding comes from, in this order: byte order mark, charset
 * parameter of the content type, XML declaration, UTF-8. Invalid bytes are refused, never replaced.
 */
import { Buffer, isAscii } from 'node:buffer'
import { Refusal } from '../refusal.ts'

type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE' | 'ISO-8859-1' | 'US-ASCII'

interface Decoder {
  decode(bytes: Buffer): string
  end(): string
}

/** A millisecond of work, so that other calls wait little and few objects survive a collection. */
export const pieceBytes = 16 * 1024
/** Enough for any XML declaration. */
const sniffedBytes = 1024

/** @param contentType the request's header, as it came @throws Refusal contentUnsupported, bodyMalformed */
export async function* decodeBody(
  chunks: AsyncIterable<Buffer>,
  contentType: string | undefined,
): AsyncGenerator<string> {
  let head: Buffer = Buffer.alloc(0)
  let decoder: Decoder | undefined
  for await (const chunk of chunks) {
    let bytes = chunk
    if (!decoder) {
      head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
      if (head.length < sniffedBytes) continue
      decoder = openDecoder(findEncoding(head, contentType))
      bytes = head
    }
    for (let start = 0; start < bytes.length; start += pieceBytes) {
      yield decoder.decode(bytes.subarray(start, start + pieceBytes))
    }
  }
  if (decoder) {
    yield decoder.end()
    return
  }
  yield decodeWhole(head, contentType)
}

/** A body that is short enough to be read at once. @throws Refusal as `decodeBody` does */
export function decodeWhole(bytes: Buffer, contentType: string | undefined): string {
  const encoding = findEncoding(bytes, contentType)
  try {
    return wholeDecoders[encoding]?.decode(bytes) ?? openDecoder(encoding).decode(bytes)
  } catch (error) {
    throw error instanceof Refusal ? error : invalidBytes(encoding, error)
  }
}

/** They keep nothing from one text to the next. */
const wholeDecoders: Readonly<Partial<Record<Encoding, InstanceType<typeof TextDecoder>>>> = {
  'UTF-8': new TextDecoder('UTF-8', { fatal: true }),
  'UTF-16LE': new TextDecoder('UTF-16LE', { fatal: true }),
  'UTF-16BE': new TextDecoder('UTF-16BE', { fatal: true }),
}

function findEncoding(head: Buffer, contentType: string | undefined): Encoding {
  const first = head[0]
  const second = head[1]
  const third = head[2]
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'UTF-8'
  if (first === 0xff && second === 0xfe) return 'UTF-16LE'
  if (first === 0xfe && second === 0xff) return 'UTF-16BE'
  const charset = findCharset(contentType)
  if (charset !== undefined) return requireEncoding(charset, head)
  if (head.length >= 4 && first === 0x3c && second === 0 && head[3] === 0) return 'UTF-16LE' // `<` as XML begins
  if (head.length >= 4 && first === 0 && second === 0x3c && third === 0) return 'UTF-16BE'
  if (first !== 0x3c) return 'UTF-8' // no XML
  const declared = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.-]*)["']/.exec(
    head.toString('latin1', 0, sniffedBytes),
  )?.[1]
  if (declared === undefined) return 'UTF-8'
  const encoding = requireEncoding(declared, head)
  if (!encoding.startsWith('UTF-16')) return encoding
  throw new Refusal('bodyMalformed', 'declared as UTF-16, and is not', {
    detail: 'The XML is declared as UTF-16, and is not.',
  })
}

/** The charset parameter; a quoted value of another parameter cannot imitate one. */
function findCharset(contentType: string | undefined): string | undefined {
  if (!contentType?.includes(';')) return undefined
  const parameter = /;[ \t]*([^\s=;"]*)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?/g
  for (const [, name, quoted, plain] of contentType.matchAll(parameter)) {
    if (name?.toLowerCase() === 'charset') return (quoted ?? plain ?? '').replace(/\\(.)/g, '$1')
  }
  return undefined
}

const encodings: Readonly<Record<string, Encoding | 'UTF-16'>> = {
  __proto__: null as never,
  'utf-8': 'UTF-8',
  utf8: 'UTF-8',
  'utf-16': 'UTF-16',
  'utf-16le': 'UTF-16LE',
  'utf-16be': 'UTF-16BE',
  'iso-8859-1': 'ISO-8859-1',
  'iso8859-1': 'ISO-8859-1',
  iso_8859_1: 'ISO-8859-1',
  'iso_8859-1': 'ISO-8859-1',
  latin1: 'ISO-8859-1',
  'us-ascii': 'US-ASCII',
  ascii: 'US-ASCII',
}

function requireEncoding(charset: string, head: Buffer): Encoding {
  const encoding = encodings[charset.toLowerCase()]
  if (encoding === 'UTF-16') return head[0] !== 0 && head[1] === 0 ? 'UTF-16LE' : 'UTF-16BE' // RFC 2781: big-endian without a mark
  if (encoding) return encoding
  const detail = `The charset ${JSON.stringify(charset.slice(0, 64))} is not one of UTF-8, UTF-16, ISO-8859-1 and US-ASCII.`
  throw new Refusal('contentUnsupported', 'charset of the body', { detail })
}

function openDecoder(encoding: Encoding): Decoder {
  if (encoding === 'ISO-8859-1') return { decode: (bytes) => bytes.toString('latin1'), end: () => '' } // TextDecoder would use windows-1252
  if (encoding === 'US-ASCII') return { decode: decodeAscii, end: () => '' }
  const decoder = new TextDecoder(encoding, { fatal: true })
  const decode = (bytes?: Buffer) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch (error) {
      throw invalidBytes(encoding, error)
    }
  }
  return { decode, end: decode }
}

function decodeAscii(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1')
  throw invalidBytes('US-ASCII')
}

function invalidBytes(encoding: Encoding, cause?: unknown): Refusal {
  return new Refusal('bodyMalformed', `invalid ${encoding}`, {
    detail: `The body has bytes that are not valid ${encoding}.`,
    cause,
  })
}
