/**
 * The last-good copy: the data that a process needs for calls without database rows, encrypted and authenticated
 * (AES-256-GCM), in a file of mode 0600 that is replaced as a whole (specification 17.15).
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { inSlices } from '../../base/in-slices.ts'
import type { Configuration } from '../../configuration/configuration.ts'
import { type Activation, documentSteps } from '../../configuration/revision.ts'
import type { Operator } from '../../model/operator.ts'
import type { Settings } from '../../settings.ts'
import type { ChangeCursor } from '../../store/store.ts'

/** The content of the store when the copy was written, and the served revision. */
export interface CopyFacts {
  /** Epoch milliseconds: everything here was active then. */
  readonly written: number
  readonly storeId: string
  readonly cursor: ChangeCursor
  readonly clockOffset: number
  /** The schema of the gateway's tables. */
  readonly schema?: string | undefined
  /** The active revision, and why another one was served. */
  readonly activation: Activation
  readonly refusal?: string | undefined
  /** The served revision. */
  readonly revision: number
  /** What verifiers had of their rows, by mode. */
  readonly credentials: Readonly<Record<string, unknown>>
  /** Documents of the identity provider, by URL. */
  readonly provider: readonly (readonly [url: string, document: unknown])[]
}

export interface CopySource {
  /** Replaced by each change. */
  readonly state: string
  readonly facts: CopyFacts
  readonly configuration: Configuration
  readonly operators: Iterable<Operator>
}

export interface LastGoodCopy {
  readonly facts: CopyFacts
  /** The configuration, written as in a revision. */
  readonly document: string
  readonly operators: readonly Operator[]
}

export type CopyPlace = Pick<Settings, 'secretKey' | 'lastGood' | 'database'>

const format = 'integration-gateway last-good 2\n'
const lengths = { salt: 32, iv: 12, tag: 16 }
/** Milliseconds of tolerance for clocks that are set; a copy from the future is otherwise refused. */
const clockTolerance = 5 * 60_000

/** Writes all or nothing: concurrent readers get the previous copy. */
export async function writeCopy(place: CopyPlace, source: CopySource): Promise<void> {
  const { file } = place.lastGood
  const salt = randomBytes(lengths.salt)
  const iv = randomBytes(lengths.iv)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(place, salt), iv)
  cipher.setAAD(Buffer.from(format))
  const pieces: Buffer[] = [Buffer.from(format), salt, iv]
  await inSlices(encrypt(source, (text) => void pieces.push(cipher.update(text, 'utf8'))))
  pieces.push(cipher.final(), cipher.getAuthTag())
  await replaceFile(file, pieces)
}

/** @throws Error that says why the copy is unusable, suitable for a message */
export async function readCopy(place: CopyPlace, now: number): Promise<LastGoodCopy> {
  const { file, maxAge } = place.lastGood
  const bytes = await readFile(file).catch((error) => {
    throw new Error(error.code === 'ENOENT' ? `there is no copy at ${file}` : `${file} cannot be read: ${error.code}`)
  })
  const copy = parse(decrypt(bytes, place))
  const age = now - copy.facts.written
  if (age > maxAge) throw new Error(`it is from ${timeOf(copy)}, and older than ig.lastGood.maxAge`)
  if (age < -clockTolerance) throw new Error(`it is from ${timeOf(copy)}, which is in the future: correct the clock`)
  return copy
}

export function timeOf({ facts }: Pick<LastGoodCopy, 'facts'>): string {
  return new Date(facts.written).toISOString()
}

/** A line of facts, the number of operators, one line for each, and the document. */
function* encrypt({ facts, configuration, operators }: CopySource, write: (text: string) => void) {
  const lines = [...operators]
  write(`${JSON.stringify(facts)}\n${lines.length}\n`)
  for (const operator of lines) {
    write(`${JSON.stringify(operator)}\n`)
    yield
  }
  write(yield* documentSteps(configuration))
}

function decrypt(bytes: Buffer, place: CopyPlace): string {
  const wrong = 'it was made with another ig.secretKey or for another ig.database, or is damaged'
  const { salt, iv, tag } = lengths
  const [first, second, third] = [format.length, format.length + salt, format.length + salt + iv]
  if (bytes.length < third + tag || bytes.subarray(0, first).toString() !== format) throw new Error(wrong)
  let cause: unknown
  for (const secretKey of place.secretKey?.all ?? []) {
    try {
      const key = deriveKey({ ...place, secretKey }, bytes.subarray(first, second))
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(second, third))
      decipher.setAAD(Buffer.from(format))
      decipher.setAuthTag(bytes.subarray(-tag))
      return Buffer.concat([decipher.update(bytes.subarray(third, -tag)), decipher.final()]).toString()
    } catch (error) {
      cause = error // the previous key may have written it
    }
  }
  throw new Error(wrong, { cause })
}

function parse(text: string): LastGoodCopy {
  const lines = text.split('\n', 2)
  const count = Number(lines[1])
  let begin = lines.join('\n').length + 1
  const operators: Operator[] = []
  for (let read = 0; read < count; read += 1) {
    const end = text.indexOf('\n', begin)
    operators.push(JSON.parse(text.slice(begin, end)))
    begin = end + 1
  }
  return { facts: JSON.parse(lines[0] ?? ''), operators, document: text.slice(begin) }
}

/** Bound to this key, this database and this file. */
function deriveKey({ secretKey, database }: CopyPlace, salt: Uint8Array): Buffer {
  if (!secretKey) throw new Error('ig.secretKey is not set')
  return secretKey.derive(`last-good ${placeOf(database)}`, salt)
}

/** The database's URL without user and password, which may change for the same database. */
function placeOf(database: string): string {
  const { host, pathname, searchParams } = new URL(database)
  const sockets = ['host', 'port'].flatMap((name) => searchParams.getAll(name).map((value) => ` ${name}=${value}`))
  return `${host}${pathname}${sockets.join('')}`
}

async function replaceFile(file: string, pieces: readonly Buffer[]): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  await removeUnfinished(file)
  const fresh = `${file}${unfinished}${process.pid}`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.chmod(0o600)
    await handle.writeFile(Buffer.concat(pieces))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}

const unfinished = '.new-'
/** Milliseconds: a process that takes longer was killed. */
const writesWithin = 60_000

/** Removes files of processes that were killed while they wrote. */
async function removeUnfinished(file: string): Promise<void> {
  const names = await readdir(dirname(file))
  for (const name of names.filter((each) => each.startsWith(`${basename(file)}${unfinished}`))) {
    const left = join(dirname(file), name)
    const { mtimeMs } = await stat(left).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY })) // renamed meanwhile
    if (Date.now() - mtimeMs > writesWithin) await rm(left, { force: true })
  }
}
