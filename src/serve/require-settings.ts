/** A process serves no configuration whose handlers lack a setting (specification 5.43). */
import { SettingsProblems } from '../settings.ts'
import type { OpenGatewayOptions } from './open-gateway.ts'

/** Their modules are loaded with the handlers. @throws SettingsProblems, if it serves the files of a project */
export function requireSettings<Options extends Pick<OpenGatewayOptions, 'settings' | 'findHandlers'>>(
  options: Options,
): Options {
  const { ofHandlers } = options.settings
  const { findHandlers } = options
  if (findHandlers) {
    return {
      ...options,
      async findHandlers(configuration) {
        const found = await findHandlers(configuration)
        const problems = 'problems' in found ? found.problems : ofHandlers.problems()
        return problems.length > 0 ? { problems } : found
      },
    }
  }
  const problems = ofHandlers.problems()
  if (problems.length > 0) throw new SettingsProblems(problems)
  return options
}
