/** What several verbs share: the project argument, and settings that the command line overrides. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type ReadSettings, readSettings, type SettingOverride } from '../settings.ts'
import { Failure } from './explain-failure.ts'
import { terminal } from './terminal.ts'

export const projectArgument = ['[project]', 'project folder', '.'] as const
export const projectOption = ['--project <folder>', 'project folder', '.'] as const

/** Left out, a database is made where none was before. */
export const newOption = ['--new', 'begin with an empty database, also where one was before (SQLite)'] as const
export const noNewOption = [
  '--no-new',
  'fail where there is no database yet (SQLite): for a volume that may not be mounted',
] as const

/** Option of the command line → key of the setting that it overrides. */
const overriding: Readonly<Record<string, string>> = {
  '--host': 'ig.host',
  '--port': 'ig.port',
  '--issuer-port': 'ig.sampleIssuer.port',
  '--workers': 'ig.workers',
  '--admin-port': 'ig.admin.port',
  '--base-url': 'ig.describe.baseUrl',
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
  return readSettings(project, terminal().env, overrides)
}

/** A misspelled folder must not be taken for a new project with an empty database. */
export function requireProjectFolder(project: string): void {
  if (isProjectFolder(project)) return
  throw new Failure(`${project} is no project: it has no gateway.config.ts. Name the folder with --project <folder>.`)
}

export function isProjectFolder(path: string): boolean {
  return ['ts', 'js', 'mjs'].some((extension) => existsSync(join(path, `gateway.config.${extension}`)))
}

/** For an option that can be given several times. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}
