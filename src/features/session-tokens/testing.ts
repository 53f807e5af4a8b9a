/** Session tokens in tests of a project. */
import type { Gateway } from '../../gateway.ts'
import { requireIssuer } from '../../verification/verifier.ts'

export interface TestSessionTokens {
  /** A session token, as `as` sends it in the header `PS_TOKEN` (specification 27.1). */
  sessionToken(operatorId: string): Promise<string>
}

export function testSessionTokens({ verifiers, catalog }: Gateway): TestSessionTokens {
  const issue = requireIssuer(verifiers)
  return { sessionToken: async (operatorId) => (await issue(operatorId, catalog.defaultNode)).token }
}
