/** `ig report`: what has moved to the gateway, who calls it, and who would lose what (specification 40). */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { compileCatalog } from '../configuration/catalog.ts'
import type { Usage } from '../model/usage.ts'
import { countStates, showCompared, showLeftOut, writeAdoptionPage } from '../moving/report/adoption-page.ts'
import { type Adoption, type ComparedOperation, reportAdoption, stateWords } from '../project/report-adoption.ts'
import { listComparisons } from '../project/substitutes.ts'
import { openFeatures } from '../serve/open-process.ts'
import type { ReadSettings, Settings } from '../settings.ts'
import { Failure, WrongValue } from '../terminal/explain-failure.ts'
import { alignColumns, colours, report as note, print, printJson, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { isAbsent, readProjectOperators } from '../terminal/read-project-operators.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { withStore } from '../terminal/with-store.ts'
import { writeWhole } from '../terminal/write-whole.ts'

interface Options {
  readonly days: string
  readonly revision?: string
  readonly compared?: string
  readonly html?: string
  readonly json?: boolean
}

const day = 24 * 3_600_000

export function report(command: Command): void {
  command
    .description(
      'Reports for each operation whether it has moved (has its own handler), is passed through or is a stand-in, ' +
        'and who called it; and which callers lack an operator, a permission or an operation. Uses the calls in the ' +
        'monitor.',
    )
    .argument('[project]', 'the project folder', '.')
    .option('--days <n>', 'calls of the last days, 1 to 366', '7')
    .option(...revisionOption)
    .option('--compared <file>', 'also count the differences in this result of ig compare --json')
    .option('--html <file>', 'also write the report as an HTML page')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExamples:\n  ig report hr\n  ig report hr --days 30 --html adoption.html')
    .action(run)
}

async function run(project: string, options: Options): Promise<void> {
  requireProjectFolder(project)
  const days = Number(options.days)
  if (!Number.isInteger(days) || days < 1 || days > 366)
    throw new WrongValue(`--days must be 1 to 366, not ${show(options.days)}.`)
  const settings = readProjectSettings(project)
  const opened = await openRequestedProject({ project, ...(options.revision && { revision: options.revision }) })
  const catalog = compileCatalog(opened.configuration, opened.handlers)
  const operators = await readProjectOperators(settings, opened)
  const compared = [...(await readComparisons(settings)), ...readComparison(options.compared)]
  const usage = await readUsage(settings, Date.now() - days * day)
  const adoption = reportAdoption(catalog, operators, usage, compared)
  if (options.html !== undefined) {
    writeWhole(options.html, writeAdoptionPage(adoption, days), true, 0o600)
    note(`The report is written to ${show(options.html)}.`)
  }
  if (options.json) printJson({ days, ...adoption })
  else printAdoption(adoption, days)
}

async function readUsage(settings: ReadSettings, from: number): Promise<Usage | undefined> {
  if (isAbsent(settings.database)) return undefined
  const features = await openFeatures({
    ...{ settings, worker: undefined, workers: 1, administers: false, servesCalls: false, runsJobs: false },
    ...{ isDevelopment: false, observe() {}, reportCounts() {} },
  })
  try {
    return await features.find(({ usage }) => usage)?.usage?.(from)
  } finally {
    for (const { close } of features) await close?.()
  }
}

async function readComparisons({ database }: Settings): Promise<readonly ComparedOperation[]> {
  if (isAbsent(database)) return []
  return withStore(database, ({ databases }) => listComparisons(databases))
}

const comparison = z.object({
  operations: z.array(
    z.object({ operation: z.string(), calls: z.int(), differ: z.int(), leftOut: z.array(z.string()).optional() }),
  ),
})

function readComparison(file: string | undefined): readonly ComparedOperation[] {
  if (file === undefined) return []
  try {
    return comparison.parse(JSON.parse(readFileSync(file, 'utf8'))).operations
  } catch (error) {
    const why = error instanceof z.ZodError || error instanceof SyntaxError ? 'is no' : 'cannot be read as a'
    throw new Failure(`${show(file)} ${why} result of ig compare --json.`)
  }
}

function printAdoption(adoption: Adoption, days: number): void {
  const { dim } = colours()
  const table = (rows: readonly (readonly string[])[]) => {
    const [head = '', ...lines] = alignColumns(rows)
    return [dim(head), ...lines]
  }
  const operations = table([
    ['OPERATION', 'STATE', 'CALLS', 'DIFFER', 'CALLERS'],
    ...adoption.operations.map(({ id, state, calls, callers, compared }) => [
      show(id),
      stateWords[state],
      String(calls),
      showCompared(compared),
      show(callers.join(', ')),
    ]),
  ])
  const losses = table([
    ['CALLER', 'OPERATION', 'CALLS', 'LACKS', 'REASON'],
    ...adoption.losses.map(({ operator, operation, calls, lacks, reason }) => [
      show(operator ?? 'unknown'),
      show(operation),
      String(calls),
      lacks,
      show(reason),
    ]),
  ])
  const since = `in the last ${days === 1 ? 'day' : `${days} days`}`
  const who = adoption.losses.length > 0 ? ['', `Callers that would lose access, by calls ${since}:`, ...losses] : []
  const notes = [
    ...adoption.leftOut.map(showLeftOut).map(show),
    ...(adoption.isMonitored ? [] : ['There are no calls: the monitor is off or has no database yet.']),
    ...(adoption.isComplete ? [] : ['Older calls were not read.']),
  ]
  print([...operations, '', countStates(adoption), ...notes, ...who].join('\n'))
}
