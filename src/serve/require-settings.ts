/** A process serves no configuration whose handlers lack a setting (specification 5.43). */
import type { Configuration } from '../configuration/configuration.ts'
import { findFillProblems } from '../configuration/environment-values.ts'
import type { FindHandlers } from '../project/open-project.ts'
import { type Settings, SettingsProblems } from '../settings.ts'

interface Options {
  readonly project: { readonly configuration: Configuration }
  readonly settings: Pick<Settings, 'ofHandlers'>
  readonly findHandlers?: FindHandlers
}

/** Their modules are loaded with the handlers. @throws SettingsProblems, if it serves the files of a project */
export function requireSettings<Given extends Options>(options: Given): Given {
  const { ofHandlers } = options.settings
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
