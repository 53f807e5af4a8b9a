/** The last-good copy of what a gateway serves (specification 17.16). */
import type { StoreSnapshot } from '../../feature.ts'
import type { Verifier } from '../../verification/verifier.ts'
import type { CopySource } from './copy.ts'

/** The data that a start needs during a store outage. @returns undefined if no revision is active yet */
export function describeCopy({ gateway, documents, storeId, cursor }: StoreSnapshot): CopySource | undefined {
  const { catalog, condition, verifiers, operators, store } = gateway
  const { activation, revisionRefusal: refusal, storeReadAt } = condition
  if (!activation || catalog.revision === undefined) return undefined
  const facts = {
    written: Math.floor(storeReadAt),
    storeId,
    cursor,
    clockOffset: store.clockOffset,
    schema: store.schema,
    activation,
    refusal,
    revision: catalog.revision,
    provider: documents.list(),
    credentials: Object.fromEntries(Object.entries<Verifier>(verifiers).map(([mode, { state }]) => [mode, state])),
  }
  const state = JSON.stringify([
    storeId,
    cursor.operators,
    activation.sequence,
    refusal,
    facts.revision,
    documents.changes,
  ])
  return { state, facts, configuration: catalog.configuration, operators: operators.values() }
}
