/** Shared by several verbs: the project option, and settings that the command line overrides. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { readDevelopmentKey } from '../settings/development-key.ts'
import { listRows } from '../settings/row.ts'
import { table } from '../settings/table.ts'
import { type ReadSettings, readSettings, type SettingOverride } from '../settings.ts'
import { Failure } from './explain-failure.ts'
import { terminal } from './terminal.ts'

export const projectArgument = ['[project]', 'project folder', '.'] as const
export const projectOption = ['--project <folder>', 'project folder', '.'] as const

/** `--project`, as every verb has it, or the folder as the argument. */
export function takeProject(command: Command): Command {
  return command
    .argument('[project]', 'the same as --project')
    .option('--project <folder>', 'project folder (default: ".")')
}

/** For the action of such a verb. */
export function withProject<Options>(run: (project: string, options: Options) => void | Promise<void>) {
  return (argument: string | undefined, options: Options & { readonly project?: string }) =>
    run(chooseProject(argument, options.project), options)
}

export function chooseProject(argument: string | undefined, option: string | undefined): string {
  if (argument !== undefined && option !== undefined && resolve(argument) !== resolve(option))
    throw new Failure(`two projects are given, ${argument} and ${option}. Give one, with --project <folder>.`)
  return option ?? argument ?? '.'
}

/** With the key of `ig dev`, where the project has one and no other is set. @throws SettingsProblems */
export function readProjectSettings(
  project: string,
  options: Readonly<Partial<Record<string, string>>> = {},
): ReadSettings {
  const settings = readServedSettings(project, options)
  return { ...settings, secretKey: settings.secretKey ?? readDevelopmentKey(project) }
}

/** For `ig start`. @throws SettingsProblems */
export function readServedSettings(
  project: string,
  options: Readonly<Partial<Record<string, string>>> = {},
): ReadSettings {
  const overrides: Record<string, SettingOverride> = {}
  for (const { key, option } of listRows(table)) {
    const value = option === undefined ? undefined : options[option]
    if (option !== undefined && value !== undefined) overrides[key] = { value, option }
  }
  return readSettings(project, terminal().env, overrides)
}

/** Otherwise a misspelled folder would become a new project with an empty database. */
export function requireProjectFolder(project: string): void {
  if (isProjectFolder(project)) return
  throw new Failure(
    `${resolve(project)} is not a project: it has no gateway.config.ts. Name the folder with --project <folder>.`,
  )
}

export function isProjectFolder(path: string): boolean {
  return ['ts', 'js', 'mjs'].some((extension) => existsSync(join(path, `gateway.config.${extension}`)))
}

/** For options that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value]
}
