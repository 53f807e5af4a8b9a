/** A process opens only with the settings that handlers (specification 5.43) and second factors (34.21) need. */
import { missingSecretKey } from '../base/secret-key.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { findFillProblems } from '../configuration/environment-values.ts'
import type { FindHandlers } from '../project/open-project.ts'
import { type Settings, SettingsProblems } from '../settings.ts'
import type { Store } from '../store/store.ts'

interface Options {
  readonly project: { readonly configuration: Configuration }
  readonly settings: Pick<Settings, 'ofHandlers' | 'admin' | 'secretKey'>
  readonly findHandlers?: FindHandlers
}

/** Settings of handlers are checked with each revision; now, if it serves the files of a project. @throws SettingsProblems */
export function requireSettings<Given extends Options>(options: Given): Given {
  const { ofHandlers, admin, secretKey } = options.settings
  if (admin?.secondFactor === 'required' && !secretKey) throw noKeyForFactors()
  const { findHandlers } = options
  const problemsOf = (configuration: Configuration) => [
    ...ofHandlers.problems(),
    ...findFillProblems(configuration, ofHandlers.find),
  ]
  if (!findHandlers) {
    const problems = problemsOf(options.project.configuration)
    if (problems.length > 0) throw new SettingsProblems(problems)
    return options
  }
  return {
    ...options,
    async findHandlers(configuration: Parameters<FindHandlers>[0]) {
      const found = await findHandlers(configuration)
      const problems = 'problems' in found ? found.problems : problemsOf(configuration)
      return problems.length > 0 ? { problems } : found
    },
  }
}

/** Second factors need `ig.secretKey`, which is missing. @throws SettingsProblems if an administrator has an authenticator app */
export async function requireKeyForFactors({ administration }: Pick<Store, 'administration'>): Promise<void> {
  const factors = await administration.factors.list()
  if (factors.some(({ kind }) => kind === 'totp')) throw noKeyForFactors()
}

function noKeyForFactors(): SettingsProblems {
  return new SettingsProblems([{ path: 'ig.secretKey', message: missingSecretKey }])
}
