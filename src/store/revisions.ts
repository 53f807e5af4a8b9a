/**
 * Revisions and activations as rows (specification 13.1, 13.5): added, never changed. An activation names the revision
 * that was active before; of two concurrent ones, the second is refused.
 */
import { setImmediate as breathe } from 'node:timers/promises'
import type { Activation } from '../configuration/revision.ts'
import type { Database } from './database.ts'
import { nextEpoch } from './epoch.ts'
import type { ActivationOptions, ActivationOutcome, RevisionStore } from './revision-store.ts'
import { type DatabaseTransaction, inTransaction } from './transaction.ts'

export interface RevisionRows extends RevisionStore {
  /** The latest activation, if it is later than that. */
  activatedSince(sequence: number): Promise<Activation | undefined>
}

export function openRevisions(database: Database): RevisionRows {
  const { reader } = database
  const activations = () => reader.selectFrom('ig_activation').selectAll().orderBy('sequence', 'desc').execute()
  return {
    list: () => reader.selectFrom('ig_revision').selectAll().orderBy('number', 'desc').execute(),
    async find(number) {
      const summary = await reader.selectFrom('ig_revision').selectAll().where('number', '=', number).executeTakeFirst()
      return summary && { ...summary, document: await readParts(reader, number) }
    },
    active: () => findLatest(reader, 0),
    activations,
    activatedSince: (sequence) => findLatest(reader, sequence),
    add: ({ document, digest }, options) =>
      putInForce(database, options, async (transaction) => {
        const { note = '', author = null, time: created } = options
        const number = 1 + (await findLastNumber(transaction))
        await transaction.insertInto('ig_revision').values({ number, created, note, digest, author }).execute()
        await writeParts(transaction, number, document)
        return number
      }),
    activate: (number, options) => putInForce(database, options, async () => number),
  }
}

/** One at a time: locks the counter before it reads the active revision. */
function putInForce(
  database: Database,
  { expectedActive, expectedSequence, note = '', time }: ActivationOptions,
  prepare: (transaction: DatabaseTransaction) => Promise<number>,
): Promise<ActivationOutcome> {
  return inTransaction(database, async (transaction) => {
    const sequence = await nextEpoch(transaction, 'activations')
    const latest = await findLatest(transaction, 0)
    const isExpected =
      latest?.revision === expectedActive && latest?.sequence === (expectedSequence ?? latest?.sequence)
    if (!isExpected) return { activeInstead: latest?.revision }
    const revision = await prepare(transaction)
    const activation = { sequence, revision, time, note }
    await transaction.insertInto('ig_activation').values(activation).execute()
    return { activation }
  })
}

/** Characters. SQLite reads in process and blocks calls. */
const partLength = 128 * 1024

async function writeParts(transaction: DatabaseTransaction, revision: number, document: string): Promise<void> {
  for (let part = 0; part * partLength < document.length; part += 1) {
    const text = document.slice(part * partLength, (part + 1) * partLength)
    await transaction.insertInto('ig_revision_part').values({ revision, part, text }).execute()
  }
}

async function readParts(reader: DatabaseTransaction, revision: number): Promise<string> {
  const texts: string[] = []
  for (;;) {
    const ofPart = reader.selectFrom('ig_revision_part').select('text').where('revision', '=', revision)
    const row = await ofPart.where('part', '=', texts.length).executeTakeFirst()
    if (!row) return texts.join('')
    texts.push(row.text)
    await breathe()
  }
}

function findLatest(database: DatabaseTransaction, after: number): Promise<Activation | undefined> {
  return database
    .selectFrom('ig_activation')
    .selectAll()
    .where('sequence', '>', after)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
}

async function findLastNumber(database: DatabaseTransaction): Promise<number> {
  const { last } = await database
    .selectFrom('ig_revision')
    .select((expression) => expression.fn.coalesce(expression.fn.max('number'), expression.lit(0)).as('last'))
    .executeTakeFirstOrThrow()
  return Number(last)
}
