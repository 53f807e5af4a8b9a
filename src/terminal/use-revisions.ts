/** Revisions by name, for verbs that read them from the database (specification 13). */
import type { Configuration } from '../configuration/configuration.ts'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { type Revision, readDocument } from '../configuration/revision.ts'
import type { RevisionStore } from '../store/revision-store.ts'
import { Failure, formatProblems, WrongValue } from './explain-failure.ts'
import { show } from './print.ts'

/** @param name a number, or `active` */
export async function requireRevision(name: string, revisions: RevisionStore): Promise<Revision> {
  if (name === 'active') {
    const active = await findActive(revisions)
    if (active) return active
    throw noRevisionYet()
  }
  const revision = await revisions.find(readNumber(name, 'Give a revision number or active.'))
  if (revision) return revision
  const [newest] = await revisions.list()
  if (!newest) throw noRevisionYet()
  throw new Failure(`there is no revision ${name}. The newest is ${newest.number}: ig revision list has all.`)
}

/** @param otherwise what to give instead @throws WrongValue */
export function readNumber(name: string, otherwise: string): number {
  if (/^[1-9]\d{0,14}$/.test(name)) return Number(name)
  throw new WrongValue(`${show(JSON.stringify(name))} is not a revision. ${otherwise}`)
}

/** The active one; undefined if the store has none yet. */
export async function findActive(revisions: RevisionStore): Promise<Revision | undefined> {
  const activation = await revisions.active()
  return activation && revisions.find(activation.revision)
}

export function noRevisionYet(): Failure {
  return new Failure('there is no revision yet. Create the first: ig apply <project>')
}

/** Reads the configuration as stored, without validation. */
export function readConfiguration({ document }: Pick<Revision, 'document'>): Configuration {
  const steps = readDocument(document)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** A revision of another version of the gateway may break a rule of this one. */
export function requireValid({ number, document }: Revision): Configuration {
  const parsed = parseConfiguration(readConfiguration({ document }))
  if ('configuration' in parsed) return parsed.configuration
  throw new Failure(formatProblems(`Nothing was activated. Revision ${number} has`, parsed.problems))
}
