/** `ig describe`: the operations of a project in OpenAPI or WADL, on standard output (specification 12.9). */
import type { Command } from 'commander'
import { escapeMarkup } from '../../base/escape.ts'
import { suggest } from '../../base/nearest.ts'
import { type Catalog, compileCatalog } from '../../configuration/catalog.ts'
import type { Operator } from '../../model/operator.ts'
import type { Settings } from '../../settings.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { print, printJson, show } from '../../terminal/print.ts'
import { readProjectSettings, takeProject, withProject } from '../../terminal/project-options.ts'
import { openRequestedProject, revisionOption } from '../../terminal/read-requested-project.ts'
import { withStore } from '../../terminal/with-store.ts'
import { describeOpenApi } from './openapi.ts'
import { describeWadl } from './wadl.ts'

interface Options {
  readonly service?: string
  readonly baseUrl?: string
  readonly as?: string
  readonly revision?: string
}

export function describe(command: Command): void {
  const group = command
    .description(
      'Prints a description of the active operations of a project. Starts nothing, and opens the database only to ' +
        'look up what an operator may call (--as). A running gateway serves the same description if ig.describe ' +
        'permits it.',
    )
    .addHelpText('after', examples)
  const format = (name: string, summary: string) =>
    takeProject(group.command(name))
      .summary(summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
      .option('--service <name>', 'only the operations of this service')
      .option('--base-url <url>', 'scheme, host and port that clients use (ig.describe.baseUrl)')
      .option('--as <operator>', 'only what this operator may call')
      .option(...revisionOption)

  format('openapi', 'print an OpenAPI 3.1 document: all services, or one').action(withProject(printOpenApi))
  format('wadl', 'print a WADL document of one service').action(withProject(printWadl))
}

const examples = `
Examples:
  ig describe openapi --base-url https://api.example.com > openapi.json
  ig describe wadl --project examples/reference --service REFERENCE`

async function printOpenApi(folder: string, options: Options): Promise<void> {
  const { catalog, ...described } = await readDescribed(folder, options)
  printJson(describeOpenApi(catalog, { ...described, service: options.service }))
}

async function printWadl(folder: string, options: Options): Promise<void> {
  const { catalog, ...described } = await readDescribed(folder, options)
  const wadl = describeWadl(catalog, { ...described, service: options.service ?? findOnlyService(catalog) })
  print(escapeMarkup(wadl))
}

async function readDescribed(folder: string, { service, baseUrl, as, revision }: Options) {
  const read = readProjectSettings(folder, { '--base-url': baseUrl })
  const { configuration, handlers } = await openRequestedProject({ project: folder, revision })
  const catalog = compileCatalog(configuration, handlers)
  if (service !== undefined) requireService(service, catalog)
  const operator = as === undefined ? undefined : await findOperator(as, read)
  return { catalog, operator, baseUrl: read.describeBaseUrl, settings: read }
}

function requireService(service: string, { configuration }: Pick<Catalog, 'configuration'>): void {
  const known = configuration.services.map(({ name }) => name)
  if (known.includes(service)) return
  throw new Failure(`there is no service ${show(service)}${suggest(service, known) || '.'} ${list(known)}`)
}

function findOnlyService({ configuration }: Pick<Catalog, 'configuration'>): string {
  const known = configuration.services.map(({ name }) => name)
  const [only, ...others] = known
  if (only !== undefined && others.length === 0) return only
  throw new Failure(`WADL describes one service: name it with --service <name>. ${list(known)}`)
}

function list(services: readonly string[]): string {
  return services.length > 0 ? `Available: ${services.map(show).join(', ')}.` : 'The configuration has none.'
}

async function findOperator(id: string, { database }: Settings): Promise<Operator> {
  const operators = await withStore(database, (store) => store.operators.list())
  const operator = operators.find((candidate) => candidate.id === id)
  const known = operators.map((candidate) => candidate.id)
  if (!operator) throw new Failure(`there is no operator ${show(id)}${suggest(id, known) || '.'}`)
  if (operator.isLocked) throw new Failure(`operator ${show(id)} is locked: it may not call any operation.`)
  return operator
}
