/** The verifications that features add: a table beside `features.ts`, because the console reads nothing else of a feature. */
import { sessionTokens } from './features/session-tokens/verifications.ts'

export const verificationsOfFeatures = { ...sessionTokens } as const
