/**
 * The rows that features add to the table of `model/verification.ts`. They are not in `features.ts`, because the console
 * reads them too, and nothing else of a feature. How credentials are checked is in `verification/`.
 */
import { sessionTokens } from './features/session-tokens/verifications.ts'

export const verificationsOfFeatures = { ...sessionTokens } as const
