/** The header of the PROXY protocol, version 1 or 2, before everything else of a connection (specification 28.6). */
import { isIP } from 'node:net'
import { readAddress } from '../base/address-list.ts'

export interface ProxyHeader {
  /** Length of the header in bytes: the rest is what the client sent. */
  readonly length: number
  /** Undefined: the connection is the proxy's own, and its address counts. */
  readonly address: string | undefined
  /** Whether the client came to the proxy over TLS; undefined: it does not say, or there is no client. */
  readonly isSecure: boolean | undefined
}

/** @returns `more` while it may become one */
export function readProxyHeader(bytes: Buffer): ProxyHeader | 'more' | 'malformed' {
  const [read] = [readText, readBinary].filter((_, at) => startsAs(bytes, signatures[at] ?? nothing))
  return read ? read(bytes) : 'malformed'
}

const nothing = Buffer.alloc(0)
const signatures = [Buffer.from('PROXY '), Buffer.from('\r\n\r\n\0\r\nQUIT\n')]

function startsAs(bytes: Buffer, signature: Buffer): boolean {
  const length = Math.min(bytes.length, signature.length)
  return bytes.subarray(0, length).equals(signature.subarray(0, length))
}

/** Maximum length of version 1, with its end of line. */
const maxText = 107
const port = '(?:0|[1-9]\\d{0,4})'
const address = '([\\dA-Fa-f.:]+)'
const textForm = new RegExp(`^PROXY (?:UNKNOWN(?: [ -~]*)?|TCP([46]) ${address} ${address} (${port}) (${port}))$`)

function readText(bytes: Buffer): ProxyHeader | 'more' | 'malformed' {
  const end = bytes.subarray(0, maxText).indexOf('\r\n')
  if (end < 0) return bytes.length < maxText && !bytes.includes(0x0a) ? 'more' : 'malformed'
  const match = textForm.exec(bytes.toString('latin1', 0, end))
  if (!match) return 'malformed'
  const [, family, source = '', destination = '', ...ports] = match
  const length = end + 2
  if (family === undefined) return { length, address: undefined, isSecure: undefined }
  const areAddresses = [source, destination].every((each) => isIP(each) === Number(family))
  if (!areAddresses || ports.some((each) => Number(each) > 65_535)) return 'malformed'
  return { length, address: readAddress(source), isSecure: undefined }
}

/** Signature, version and command, family, length. */
const fixedBytes = 16
/** By the byte of family and protocol: bytes of both addresses and ports. Unix sockets have no address that counts. */
const families: Readonly<Record<number, number>> = { 0: 0, 17: 12, 18: 12, 33: 36, 34: 36, 49: 216, 50: 216 }

function readBinary(bytes: Buffer): ProxyHeader | 'more' | 'malformed' {
  const command = bytes[12] ?? 0x21
  const family = bytes[13] ?? 0
  const minLength = families[family]
  if ((command !== 0x20 && command !== 0x21) || minLength === undefined) return 'malformed'
  if (bytes.length < fixedBytes) return 'more'
  const length = fixedBytes + bytes.readUInt16BE(14)
  if (command === 0x20) return bytes.length < length ? 'more' : { length, address: undefined, isSecure: undefined }
  if (length < fixedBytes + minLength) return 'malformed'
  if (bytes.length < length) return 'more'
  const isSecure = findTls(bytes.subarray(fixedBytes + minLength, length))
  if (isSecure === 'malformed') return isSecure
  const address = readSource(bytes, family)
  return { length, address, isSecure: address === undefined ? undefined : isSecure }
}

function readSource(bytes: Buffer, family: number): string | undefined {
  if (family >> 4 === 1) return bytes.subarray(16, 20).join('.')
  if (family >> 4 !== 2) return undefined
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(16 + 2 * at).toString(16))
  return readAddress(groups.join(':'))
}

/** Type, length and value, repeated: of PP2_TYPE_SSL, the bit that the client came over TLS. */
function findTls(fields: Buffer): boolean | undefined | 'malformed' {
  let isSecure: boolean | undefined
  for (let at = 0; at < fields.length; ) {
    if (at + 3 > fields.length) return 'malformed'
    const end = at + 3 + fields.readUInt16BE(at + 1)
    if (end > fields.length) return 'malformed'
    if (fields[at] === 0x20) {
      if (end === at + 3 || isSecure !== undefined) return 'malformed'
      isSecure = ((fields[at + 3] ?? 0) & 1) === 1
    }
    at = end
  }
  return isSecure
}
