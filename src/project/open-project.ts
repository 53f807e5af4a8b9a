/**
 * A project folder: `gateway.config.ts`, the handlers that it names, and `migrations/`. All of its errors are reported
 * at once (specification 2.12).
 */
import { existsSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { suggest } from '../base/nearest.ts'
import { collectNames } from '../configuration/collect-names.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { findReferenceProblem, parseReference } from '../configuration/handler-reference.ts'
import { classMethods, type Handlers, type ListedReference, listReferences } from '../configuration/list-references.ts'
import { parseConfiguration } from '../configuration/parse-configuration.ts'
import { parseSampleOperators, type SampleOperator } from '../configuration/sample-operator.ts'
import { type Problem, ProjectProblems } from '../model/problem.ts'
import type { ProjectMigration } from '../store/store.ts'
import { findTokenRenewals } from './find-token-renewals.ts'
import { type Exports, loadModule } from './load-module.ts'
import { checkFiles, withSubstitutes } from './substitutes.ts'

export interface Project {
  /** Absolute, symbolic links resolved. */
  readonly folder: string
  readonly configuration: Configuration
  readonly handlers: Handlers
  /** Migrations in order of name. */
  readonly migrations: readonly ProjectMigration[]
  readonly sampleOperators: readonly SampleOperator[]
}

export { ProjectProblems } from '../model/problem.ts'

export const configFiles = ['gateway.config.ts', 'gateway.config.js', 'gateway.config.mjs']

/** Its path; undefined if the folder has none. */
export function findConfigFile(folder: string): string | undefined {
  return configFiles.map((name) => join(folder, name)).find((file) => existsSync(file))
}

/** @throws ProjectProblems */
export async function openProject(path: string): Promise<Project> {
  const folder = await requireFolder(path)
  const problems: Problem[] = []
  const report = (more: readonly Problem[]) => void problems.push(...more)
  const config = await loadConfig(folder)
  if ('problem' in config) report([config.problem])
  const definition = 'exports' in config ? config.exports : { default: undefined }
  const configuration = 'exports' in config ? readConfiguration(config, report) : undefined
  const handlers = await loadReferences(folder, listReferences(definition.default), report)
  report(await checkFiles(folder, definition.default))
  const migrations = await loadMigrations(folder, report)
  const sampleOperators = readSampleOperators(definition.sampleOperators, configuration, report)
  const file = 'file' in config ? join(folder, config.file) : undefined
  if (!configuration || problems.length > 0) throw new ProjectProblems(problems, file)
  const complete = await withSubstitutes(handlers, configuration, { folder })
  return { folder, configuration, handlers: complete, migrations, sampleOperators }
}

export type ProjectCode = Pick<Project, 'folder' | 'migrations' | 'sampleOperators'>

/**
 * A project folder without its configuration, for a configuration from elsewhere: errors in the file's configuration,
 * or in handlers that are not used, do not matter here (specification 15.9).
 */
export async function openProjectCode(path: string): Promise<ProjectCode> {
  const folder = await requireFolder(path)
  const problems: Problem[] = []
  const migrations = await loadMigrations(folder, (more) => void problems.push(...more))
  if (problems.length > 0) throw new ProjectProblems(problems)
  const config = await loadConfig(folder)
  const sampleOperators = 'exports' in config ? config.exports.sampleOperators : undefined
  return { folder, migrations, sampleOperators: readSampleOperators(sampleOperators, undefined, () => {}) }
}

async function requireFolder(path: string): Promise<string> {
  const folder = await realpath(resolve(path)).catch(() => undefined)
  if (folder === undefined)
    throw new ProjectProblems([{ path, message: 'does not exist: name the folder of a project' }])
  if (!(await stat(folder)).isDirectory()) throw new ProjectProblems([{ path, message: 'is not a folder' }])
  return folder
}

/** Finds the handlers that a configuration names. */
export type FindHandlers = (
  configuration: Configuration,
) => Promise<{ readonly handlers: Handlers } | { readonly problems: readonly Problem[] }>

/** The code that a process has loaded. */
export interface LoadedHandlers {
  readonly loaded: Handlers
  /** With the substitutes of a configuration; loads no code of the project. */
  forTrial(configuration: Configuration): Promise<Handlers>
}

/**
 * Handlers for configurations other than the files': loaded code is used as it is, the rest is loaded from the project
 * folder (specification 13.8).
 */
export function openHandlers({
  folder,
  handlers: loaded,
}: Pick<Project, 'folder' | 'handlers'>): FindHandlers & LoadedHandlers {
  const known = new Map(loaded)
  const find: FindHandlers = async (configuration) => {
    const problems: Problem[] = []
    const report: Report = (more) => void problems.push(...more)
    const references = listReferences(configuration)
    report(findTokenRenewals(references, known))
    const unknown = references.filter(({ key }) => !known.has(key))
    const found = await loadReferences(folder, unknown, report)
    report(await checkFiles(folder, configuration))
    for (const [reference, handler] of found) known.set(reference, handler)
    return problems.length > 0 ? { problems } : { handlers: await withSubstitutes(known, configuration, { folder }) }
  }
  const forTrial = (configuration: Configuration) => withSubstitutes(known, configuration, { folder, isTrial: true })
  return Object.assign(find, { loaded: known, forTrial })
}

type Report = (problems: readonly Problem[]) => void

interface Config {
  readonly file: string
  readonly exports: Exports
}

async function loadConfig(folder: string): Promise<Config | { problem: Problem }> {
  const files = new Set(await readdir(folder))
  const file = configFiles.find((name) => files.has(name))
  if (!file)
    return {
      problem: {
        path: configFiles[0] as string,
        message: `does not exist in ${folder}: name the folder of a project, which has its configuration there`,
      },
    }
  const loaded = await loadModule(folder, file)
  return 'error' in loaded ? { problem: { path: file, message: loaded.error } } : { file, exports: loaded.exports }
}

function readConfiguration({ file, exports }: Config, report: Report): Configuration | undefined {
  if (!('default' in exports)) {
    report([{ path: file, message: 'has no default export: export default defineGateway({ … })' }])
    return undefined
  }
  const parsed = parseConfiguration(exports.default)
  if ('configuration' in parsed) return parsed.configuration
  report(parsed.problems)
  return undefined
}

/** The classes of an invalid configuration are loaded too, so that their errors are reported with the others. */
export async function loadReferences(
  folder: string,
  references: readonly ListedReference[],
  report: Report,
  onLoading: (place: string) => void = () => {},
) {
  const handlers = new Map<string, new () => object>()
  const modules = new Map<string, Awaited<ReturnType<typeof loadModule>>>()
  for (const { list, reference, key, place } of selectFirst(references)) {
    const { path, exportName } = parseReference(reference)
    const known = modules.get(path)
    onLoading(place)
    const loaded = known ?? (await loadModule(folder, path))
    modules.set(path, loaded)
    if ('error' in loaded) {
      if (!known) report([{ path: place, message: loaded.error }])
      continue
    }
    const problem = findClassProblem(loaded.exports, path, exportName, classMethods[list] ?? '')
    if (problem === undefined) handlers.set(key, loaded.exports[exportName] as new () => object)
    else report([{ path: place, message: problem }])
  }
  report(findTokenRenewals(references, handlers))
  return handlers
}

/** The first place of each valid one. */
function selectFirst(references: readonly ListedReference[]): Iterable<ListedReference> {
  const first = new Map<string, ListedReference>()
  for (const each of references)
    if (!first.has(each.key) && findReferenceProblem(each.reference) === undefined) first.set(each.key, each)
  return first.values()
}

function findClassProblem(exports: Exports, path: string, exportName: string, method: string): string | undefined {
  const names = Object.keys(exports)
  if (!names.includes(exportName)) {
    if (exportName !== 'default')
      return `names an export that ${path} does not have: ${exportName}${suggest(exportName, names)}`
    const example = names.find((name) => findClassProblem(exports, path, name, method) === undefined)
    return `names ${path}, which has no default export${example ? `; did you mean ${path}#${example}?` : ''}`
  }
  const what = exportName === 'default' ? `the default export of ${path}` : `${exportName} of ${path}`
  const value = exports[exportName]
  if (typeof value !== 'function') return `names ${what}, which is not a class`
  return hasMethod(value, method) ? undefined : `names ${what}, which is not a class with a method ${method}`
}

/** Whether the class has the method, in its prototype or made with each instance. */
function hasMethod(candidate: unknown, method: string): boolean {
  const Candidate = candidate as new () => Readonly<Record<string, unknown>>
  if (typeof Candidate.prototype?.[method] === 'function') return true
  try {
    return typeof new Candidate()[method] === 'function'
  } catch {
    return false
  }
}

async function loadMigrations(folder: string, report: Report): Promise<readonly ProjectMigration[]> {
  const files = await readdir(join(folder, 'migrations')).catch((error) => {
    if (error.code !== 'ENOENT') report([{ path: 'migrations', message: error.message }])
    return []
  })
  const migrations = new Map<string, ProjectMigration>()
  for (const file of files.filter((name) => /(?<!\.d)\.(?:ts|mts|js|mjs)$/.test(name)).sort()) {
    const path = `migrations/${file}`
    const name = file.slice(0, -extname(file).length)
    const loaded = await loadModule(folder, path)
    const up = 'exports' in loaded ? loaded.exports.up : undefined
    if ('error' in loaded) report([{ path, message: loaded.error }])
    else if (typeof up !== 'function') report([{ path, message: 'must export a function up(database)' }])
    else if (migrations.has(name)) report([{ path, message: `repeats the migration ${name}: give it another name` }])
    else migrations.set(name, { name, up: up as ProjectMigration['up'] })
  }
  return [...migrations.values()]
}

function readSampleOperators(input: unknown, configuration: Configuration | undefined, report: Report) {
  if (input === undefined) return []
  const known = configuration && collectNames(configuration, configuration).permissionLists
  const parsed = parseSampleOperators(input, known)
  if ('sampleOperators' in parsed) return parsed.sampleOperators
  report(parsed.problems)
  return []
}
