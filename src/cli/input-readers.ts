/** Reads what `ig` takes in another form than JSON (specification 31.1): the rows of actions name their reader. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { InputReader } from '../actions/command-line.ts'
import { certificateRule, describeCertificate, parseCertificateName } from '../model/certificate.ts'
import type { EmailAddress } from '../model/operator.ts'
import { Failure, WrongValue } from '../terminal/explain-failure.ts'
import { show } from '../terminal/print.ts'
import { readStdin } from '../terminal/read-password.ts'

type Reader = (texts: readonly string[]) => unknown

/** The readers by their names; `new-password.ts` reads passwords. @throws Failure */
export const inputReaders: Readonly<Record<Exclude<InputReader, 'newPassword'>, Reader>> = {
  file: ([file = '']) => readText(file),
  lines: async ([file = '']) => (await readText(file)).split(/\r?\n/).filter((line) => line !== ''),
  secret: async ([text = '']) => (text === '-' ? (await readStdin('secret')).trim() : text), // arguments can be seen
  addresses: (texts) => [...new Set(texts)].map((text, index) => ({ ...parseEmail(text), isPrimary: index === 0 })),
  certificates: (texts) => texts.map(readCertificateName),
}

async function readText(file: string): Promise<string> {
  if (file === '-') return readStdin('standard input')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(`${show(file)} is not UTF-8. Save it as UTF-8.`)
    throw new Failure(`${show(file)} cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** A file becomes its fingerprint. */
function readCertificateName(text: string): string {
  const name = parseCertificateName(text)
  if (name !== undefined) return name
  if (!existsSync(text)) throw new WrongValue(`${show(JSON.stringify(text))} is not a file, and ${certificateRule}.`)
  try {
    return describeCertificate(new X509Certificate(readFileSync(text))).fingerprint
  } catch {
    throw new Failure(`${show(text)} is not a certificate: PEM or DER.`)
  }
}

function parseEmail(text: string): Pick<EmailAddress, 'type' | 'address'> {
  const [, type = 'business', address = ''] = /^(?:([A-Za-z]{1,30}):)?(\S+@\S+)$/.exec(text) ?? []
  if (address !== '') return { type, address }
  throw new WrongValue(
    `${show(JSON.stringify(text))} is not an e-mail address: name@example.com or home:name@example.com.`,
  )
}
