/** Opens the store, or during an outage the last-good copy (specification 17.15). */
import type { Revision } from '../../configuration/revision.ts'
import { StoreOutage, StoreUnavailable } from '../../store/faults.ts'
import { openStoreDuringOutage } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { openStoreAtStart, type StoreAtStart, type StoreOpening } from '../../store/store-at-start.ts'
import { type CopyPlace, type LastGoodCopy, readCopy, timeOf } from './copy.ts'

/** Milliseconds: with a usable copy, the start does not wait for a slow server. */
const startWait = 4_000

/** @throws StoreUnavailable, StoreOutage: no store and no usable copy */
export async function openStoreOrCopy(place: CopyPlace, opening: StoreOpening): Promise<StoreAtStart> {
  const { url, options, migrations, prepare, observe, now } = opening
  try {
    return await openStoreAtStart({ ...opening, options: { startWait, ...options } })
  } catch (error) {
    const isOutage = error instanceof StoreOutage || (error instanceof StoreUnavailable && error.isOutage)
    if (!isOutage) throw error
    const copy = await readCopy(place, now()).catch((cause: Error) => {
      throw new StoreUnavailable(`${error.message}\nThe last-good copy cannot take its place: ${cause.message}.`, {
        cause,
      })
    })
    const copied = asStore(copy)
    await prepare?.(copied)
    const { operators, facts } = copy
    const { clockOffset, schema, activation, cursor, revision, refusal, storeId, written, provider, credentials } =
      facts
    const later = await openStoreDuringOutage(url, { ...options, isOutage: true, clockOffset, schema })
    const message = `The database is not available; calls are served from the last-good copy of ${timeOf(copy)}: revision ${revision}, ${operators.length} operators. Calls that need the database are refused with 503 until it answers. ${error.message}`
    observe({ kind: 'event', level: 'error', name: 'startedFromLastGood', message })
    const changes = { cursor, operators, removedOperators: [], activation }
    const open = () => later.open(migrations)
    const lastGood = {
      written,
      revision,
      activation,
      refusal,
      store: copied,
      provider,
      verifierStates: credentials,
      open,
    }
    return { store: later.store, changes, storeId, lastGood }
  }
}

/** The only queries of a start. */
function asStore({ facts, document, operators }: LastGoodCopy): Store {
  const { revision: number, activation } = facts
  const revision: Revision = { number, document, created: activation.time, note: '', digest: '', author: null }
  const find = async (wanted: number) => (wanted === number ? revision : undefined)
  const list = async () => operators
  return {
    operators: { list, find: async (id: string) => operators.find((operator) => operator.id === id) },
    revisions: { find },
  } as unknown as Store
}
