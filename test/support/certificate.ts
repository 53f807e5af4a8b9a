/** A self-signed certificate for 127.0.0.1, created each time: nothing to install, no private key in the repository. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export function makeCertificate(years = 2): { readonly cert: string; readonly key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(identifier('06082a8648ce3d040302')) // ecdsa-with-SHA256
  const name = sequence(set(sequence(identifier('0603550403'), tagged(0x0c, Buffer.from('127.0.0.1')))))
  const time = (year: number) => tagged(0x18, Buffer.from(`${year}0101000000Z`))
  const thisYear = new Date().getUTCFullYear()
  const alternativeName = sequence(
    identifier('0603551d11'),
    tagged(0x04, sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])))),
  )
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
    tagged(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(thisYear - 1), time(thisYear + years)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(alternativeName)),
  )
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]))
  const lines =
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

export const identifier = (hex: string) => Buffer.from(hex, 'hex')
export const sequence = (...parts: readonly Buffer[]) => tagged(0x30, Buffer.concat(parts))
export const set = (...parts: readonly Buffer[]) => tagged(0x31, Buffer.concat(parts))

export function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head =
    length < 128 ? [tag, length] : length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from(head), content])
}
