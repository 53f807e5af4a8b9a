/** `ig check`: every error of a project, before it starts (specification 2.12, 6.9, 8.2, 11.13, 15.7). */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { compileCatalog } from '../configuration/catalog.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { findFillProblems } from '../configuration/environment-values.ts'
import { findWarnings } from '../configuration/find-warnings.ts'
import { countItems } from '../configuration/list-nouns.ts'
import { checkPolicy, parsePolicy, policyFileName } from '../configuration/permission-policy.ts'
import { loadContributions } from '../feature.ts'
import { listsOfFeatures } from '../features.ts'
import { formatProblem, type Problem, ProjectProblems } from '../model/problem.ts'
import { requireSettingsOf } from '../project/check-settings.ts'
import { checkTypes } from '../project/check-types.ts'
import { findIdleFaultFields, findShapelessSchemas } from '../project/find-handler-warnings.ts'
import { findConfigFile, openProject, type Project } from '../project/open-project.ts'
import { findSampleProblems } from '../serve/sample-operators.ts'
import { findRoleWarnings } from '../settings/database-role.ts'
import { findPairProblems } from '../settings/tls.ts'
import type { Settings } from '../settings.ts'
import { SettingsProblems } from '../settings.ts'
import { StoreUnavailable } from '../store/faults.ts'
import { formatProblems } from '../terminal/explain-failure.ts'
import { placeProblems } from '../terminal/locate-problem.ts'
import { paintFailure, print, printJson, warn } from '../terminal/print.ts'
import { isProjectFolder, readProjectSettings, takeProject, withProject } from '../terminal/project-options.ts'
import { readProjectOperators } from '../terminal/read-project-operators.ts'
import { terminal } from '../terminal/terminal.ts'

export function check(command: Command): void {
  takeProject(command)
    .description(
      'Checks settings, configuration, handlers and migrations of a project and reports all errors together. ' +
        `Starts nothing, and opens the database only if the project has a ${policyFileName}, to check it against the ` +
        'operators. Exit code 1 if there is an error; warnings do not count.',
    )
    .option('--types', "also check with TypeScript that each handler accepts its operation's request")
    .option('--json', 'print { "problems": […], "warnings": […] }, each with "path" and "message"')
    .action(withProject(run))
}

interface CheckOptions {
  readonly json?: boolean
  readonly types?: boolean
}

async function run(folder: string, { json, types }: CheckOptions): Promise<void> {
  if (!json && !isProjectFolder(folder)) return void (await openProject(folder)) // reports why, on standard error
  const settings = collect(() => readProjectSettings(folder))
  const project = await collectLater(openProject(folder))
  const server = collect(() => {
    if (settings.value && project.value) requireSettingsOf(settings.value, project.value.configuration)
  })
  const policy = project.value && settings.value ? await checkPolicyFile(project.value, settings.value) : []
  const environment = settings.value ? await findEnvironmentWarnings(settings.value) : []
  const pairs = settings.value ? [...findPairProblems(settings.value), ...settings.value.ofHandlers.problems()] : []
  if (settings.value && project.value)
    pairs.push(...findFillProblems(project.value.configuration, settings.value.ofHandlers.find))
  const typed = types && project.value ? await checkTypes(project.value) : []
  const samples = project.value ? findSampleProblems(project.value.sampleOperators) : []
  const ofProject = [...project.problems, ...samples]
  const configFile = project.value ? findConfigFile(folder) : project.configFile
  const problems = [...settings.problems, ...pairs, ...ofProject, ...server.problems, ...policy, ...typed]
  const opened = project.value
  const doubts = opened
    ? [
        ...findWarnings(opened.configuration, settings.value ?? { handlerFolders: [''] }),
        ...(await loadContributions('findProjectWarnings')).flatMap((find) => [...find(opened)]),
        ...findIdleFaultFields(opened),
        ...findShapelessSchemas(opened),
      ]
    : []
  const ofSettings = settings.value ? [...settings.value.warnings, ...findRoleWarnings(settings.value)] : []
  const warnings = [...ofSettings, ...environment, ...doubts]
  if (problems.length > 0) terminal().exitCode = 1
  if (json) return printJson({ problems, warnings })

  for (const warning of warnings) warn(formatProblem(warning))
  const placed = (found: readonly Problem[]) => placeProblems(found, configFile)
  printProblems('The settings have', settings.problems)
  printProblems('The settings have', pairs)
  printProblems('The project has', placed(ofProject))
  printProblems('The settings have', server.problems)
  printProblems('The permission policy has', policy)
  printProblems('The types have', placed(typed))
  if (problems.length === 0 && project.value) print(`No errors: ${describe(project.value.configuration)}.`)
}

function printProblems(subject: string, problems: readonly Problem[]): void {
  if (problems.length > 0) print(paintFailure(formatProblems(subject, problems)))
}

/** What the features ask of the environment. */
async function findEnvironmentWarnings(settings: Settings): Promise<readonly Problem[]> {
  return (await loadContributions('findEnvironmentWarnings')).flatMap((check) => [...check(settings, terminal().env)])
}

/** The permission policy of a project, if any, checked against its operators (specification 15.7). */
async function checkPolicyFile(project: Project, settings: Settings): Promise<readonly Problem[]> {
  try {
    const { lines, problems } = parsePolicy(await readFile(join(project.folder, policyFileName), 'utf8'))
    if (lines.length === 0) return problems
    const operators = await readProjectOperators(settings, project)
    const catalog = compileCatalog(project.configuration, project.handlers)
    return [...problems, ...checkPolicy(lines, operators, catalog)]
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (!(error instanceof StoreUnavailable) && syscall === undefined) throw error
    return [{ path: policyFileName, message: `cannot be checked: ${message}` }]
  }
}

interface CollectResult<T> {
  readonly value?: T
  readonly problems: readonly Problem[]
  readonly configFile?: string | undefined
}

function collect<T>(work: () => T): CollectResult<T> {
  try {
    return { value: work(), problems: [] }
  } catch (error) {
    return { problems: problemsOf(error) }
  }
}

async function collectLater<T>(work: Promise<T>): Promise<CollectResult<T>> {
  try {
    return { value: await work, problems: [] }
  } catch (error) {
    const configFile = error instanceof ProjectProblems ? error.configFile : undefined
    return { problems: problemsOf(error), configFile }
  }
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof SettingsProblems || error instanceof ProjectProblems) return error.problems
  throw error
}

function describe(configuration: Configuration): string {
  const { operations, services, permissionLists } = configuration
  const parts = [countItems(operations.length, 'operations'), countItems(services.length, 'services')]
  for (const list of listsOfFeatures) {
    const { length } = configuration[list]
    if (length > 0) parts.push(countItems(length, list))
  }
  return `${parts.join(', ')}, ${countItems(permissionLists.length, 'permissionLists')}`
}
