/** `ig check`: everything that is wrong with a project, before it is started (specification 2.12, 6.9, 8.2, 15.7). */
import type { Command } from 'commander'
import type { Configuration } from '../model/configuration.ts'
import { findWarnings } from '../model/find-warnings.ts'
import { policyFile } from '../model/permission-policy.ts'
import { formatProblem, type Problem, ProjectProblems } from '../model/problem.ts'
import { openProject } from '../project.ts'
import { findRoleWarnings } from '../settings/database-role.ts'
import { SettingsProblems } from '../settings.ts'
import { checkPolicyFile } from './check-policy-file.ts'
import { formatProblems } from './explain-failure.ts'
import { findDoubtfulCaching } from './find-doubtful-caching.ts'
import { placeProblems } from './locate-problem.ts'
import { print, printJson, warn } from './print.ts'
import { isProjectFolder, projectArgument, readProjectSettings } from './project-options.ts'
import { requireAuthorizationServer } from './require-authorization-server.ts'
import { terminal } from './terminal.ts'

export function check(program: Command): void {
  program
    .command('check')
    .summary('look for faults in a project')
    .description(
      'Checks settings, configuration, handlers and migrations of a project and prints all faults at once. ' +
        `Starts nothing, and opens the database only where the project has a ${policyFile}: its lines are held ` +
        'against the operators. Exit code 1 where there is a fault; warnings do not count.',
    )
    .argument(...projectArgument)
    .option('--json', 'print { "problems": […], "warnings": […] }, each with "path" and "message"')
    .action(run)
}

async function run(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  if (!json && !isProjectFolder(folder)) return void (await openProject(folder)) // tells why, on standard error
  const settings = collect(() => readProjectSettings(folder))
  const project = await collectLater(openProject(folder))
  const server = collect(() => {
    if (settings.value && project.value) requireAuthorizationServer(settings.value, project.value.configuration)
  })
  const policy = project.value && settings.value ? await checkPolicyFile(project.value, settings.value) : []
  const problems = [...settings.problems, ...project.problems, ...server.problems, ...policy]
  const doubts = project.value
    ? [
        ...findWarnings(project.value.configuration, settings.value ?? { handlerFolders: [''] }),
        ...findDoubtfulCaching(project.value),
      ]
    : []
  const ofSettings = settings.value ? [...settings.value.warnings, ...findRoleWarnings(settings.value)] : []
  const warnings = [...ofSettings, ...doubts]
  if (problems.length > 0) terminal().exitCode = 1
  if (json) return printJson({ problems, warnings })

  for (const warning of warnings) warn(formatProblem(warning))
  if (settings.problems.length > 0) print(formatProblems('The settings have', settings.problems))
  if (project.problems.length > 0)
    print(formatProblems('The project has', placeProblems(project.problems, project.configFile)))
  if (server.problems.length > 0) print(formatProblems('The settings have', server.problems))
  if (policy.length > 0) print(formatProblems('The permission policy has', policy))
  if (problems.length === 0 && project.value) print(`No faults: ${describe(project.value.configuration)}.`)
}

interface Collected<T> {
  readonly value?: T
  readonly problems: readonly Problem[]
  readonly configFile?: string | undefined
}

function collect<T>(work: () => T): Collected<T> {
  try {
    return { value: work(), problems: [] }
  } catch (error) {
    return { problems: problemsOf(error) }
  }
}

async function collectLater<T>(work: Promise<T>): Promise<Collected<T>> {
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

function describe({ operations, services, permissionLists }: Configuration): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  const parts = [count(operations.length, 'operation'), count(services.length, 'service')]
  return `${parts.join(', ')}, ${count(permissionLists.length, 'permission list')}`
}
