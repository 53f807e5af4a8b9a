/** An authority for client certificates, made anew: it issues them, and revokes them. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { identifier, sequence, set, tagged } from './certificate.ts'

export interface KeyPair {
  readonly cert: string
  readonly key: string
  readonly serial: Buffer
}

export interface Authority {
  readonly cert: string
  /** @param years until it expires; negative: it has expired */
  issue(name: string, years?: number): KeyPair
  /** The revocation list. */
  revoke(...serials: readonly Buffer[]): string
}

const algorithm = sequence(identifier('06082a8648ce3d040302')) // ecdsa-with-SHA256
const thisYear = new Date().getUTCFullYear()
const time = (year: number) => tagged(0x18, Buffer.from(`${year}0101000000Z`))
const part = (oid: string, text: string) => set(sequence(identifier(oid), tagged(0x0c, Buffer.from(text))))
const nameOf = (name: string) => sequence(part('060355040a', 'Example, Inc.'), part('0603550403', name))

export function openAuthority(name = 'Example CA'): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = nameOf(name)
  const certify = (subject: Buffer, publicKey: KeyObject, years: number, isAuthority: boolean) => {
    const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
    const constraints = sequence(
      identifier('0603551d13'),
      tagged(0x01, Buffer.from([255])),
      tagged(0x04, sequence(...(isAuthority ? [tagged(0x01, Buffer.from([255]))] : []))),
    )
    const content = sequence(
      tagged(0xa0, tagged(0x02, Buffer.from([2]))), // version 3
      tagged(0x02, serial),
      algorithm,
      issuer,
      sequence(time(thisYear - 5), time(thisYear + years)),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(constraints)),
    )
    return { serial, cert: signed(content, own.privateKey, 'CERTIFICATE') }
  }
  return {
    cert: certify(issuer, own.publicKey, 5, true).cert,
    issue(subject, years = 2) {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { ...certify(nameOf(subject), publicKey, years, false), key }
    },
    revoke(...serials) {
      const revoked = serials.map((serial) => sequence(tagged(0x02, serial), time(thisYear - 1)))
      const content = sequence(
        tagged(0x02, Buffer.from([1])), // version 2
        algorithm,
        issuer,
        time(thisYear - 1),
        time(thisYear + 2),
        ...(revoked.length > 0 ? [sequence(...revoked)] : []),
      )
      return signed(content, own.privateKey, 'X509 CRL')
    },
  }
}

function signed(content: Buffer, key: KeyObject, label: string): string {
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, key)]))
  const lines =
    sequence(content, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
