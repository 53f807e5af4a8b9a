/** What several verbs share: the project argument, and settings that the command line overrides. */
import { type ReadSettings, readSettings, type SettingOverride } from '../settings.ts'

export const projectArgument = ['[project]', 'project folder', '.'] as const
export const projectOption = ['--project <folder>', 'project folder', '.'] as const

/** Option of the command line → key of the setting that it overrides. */
const overriding: Readonly<Record<string, string>> = {
  '--host': 'ig.host',
  '--port': 'ig.port',
  '--issuer-port': 'ig.sampleIssuer.port',
}

/** @throws SettingsProblems */
export function readProjectSettings(
  project: string,
  options: Readonly<Partial<Record<string, string>>> = {},
): ReadSettings {
  const overrides: Record<string, SettingOverride> = {}
  for (const [option, key] of Object.entries(overriding)) {
    const value = options[option]
    if (value !== undefined) overrides[key] = { value, option }
  }
  return readSettings(project, process.env, overrides)
}
