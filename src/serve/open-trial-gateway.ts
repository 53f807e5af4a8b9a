/** A project's gateway without a listener, for `ig try` and `ig explain` (specification 15.1, 15.3). */

import { impersonate } from '../explain/impersonate.ts'
import type { Gateway } from '../gateway.ts'
import type { Call } from '../model/call.ts'
import type { Observe } from '../model/observation.ts'
import type { Project } from '../project/open-project.ts'
import type { Settings } from '../settings.ts'
import { forTrial } from '../steps/handler/shared-parts.ts'
import { requireOperator } from '../terminal/find-named.ts'
import { orSamples } from '../terminal/read-project-operators.ts'
import { openPipeline } from './open-gateway.ts'

export interface TrialOptions {
  readonly project: Pick<Project, 'configuration' | 'handlers' | 'migrations' | 'sampleOperators'>
  readonly settings: Settings
  readonly observe: Observe
  /** The operator of --as. */
  readonly as: string | undefined
  readonly call: Call
}

export interface TrialGateway {
  readonly call: Call
  readonly gateway: Gateway
  /** How the operator was chosen, if it is not authenticated. */
  readonly namedBy: string | undefined
  close(): Promise<void>
}

export async function openTrialGateway({ project, settings, observe, as, call }: TrialOptions): Promise<TrialGateway> {
  const needsProvider = as === undefined && call.headers.authorization !== undefined
  const { gateway, close } = await openPipeline({
    project,
    // Fetches the identity provider's keys immediately, if there is one: only needed to verify a token
    settings: needsProvider ? settings : { ...settings, authorizationServer: undefined, jsonWebKey: undefined },
    observe,
    isTrial: true,
  })
  try {
    const operators = orSamples(gateway.operators, project.sampleOperators)
    const questioned = forTrial({ ...gateway, settings, operators })
    const asked =
      as === undefined ? { call, gateway: questioned } : impersonate(call, requireOperator(as, operators), questioned)
    return { ...asked, namedBy: as && 'by --as', close }
  } catch (error) {
    await close()
    throw error
  }
}
