/** The last-good copy of what a gateway serves (specification 17.16). */
import type { Gateway } from '../gateway.ts'
import type { CopySource } from '../store/last-good/copy.ts'
import type { ChangeCursor } from '../store/store.ts'
import type { ProviderDocuments } from '../verification/oauth2/provider-documents.ts'

/** The data that a start needs during a store outage. @returns undefined if no revision is active yet */
export function describeCopy(
  { catalog, condition, credentials, operators, store }: Gateway,
  documents: ProviderDocuments,
  storeId: string,
  cursor: ChangeCursor,
): CopySource | undefined {
  const { activation, refusal, storeRead } = condition
  if (!activation || catalog.revision === undefined) return undefined
  const facts = {
    written: Math.floor(storeRead),
    storeId,
    cursor,
    clockOffset: store.clockOffset,
    schema: store.schema,
    activation,
    refusal,
    revision: catalog.revision,
    provider: documents.list(),
    sessionTokens: credentials.Token.state,
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
