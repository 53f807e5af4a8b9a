/** `ig template`: builds the URL of a URI template, and shows the template that a URL matches (specification 15.5). */
import type { Command } from 'commander'
import { compileCatalog } from '../configuration/catalog.ts'
import { writeValues } from '../explain/report-steps.ts'
import type { Operation } from '../model/operation.ts'
import { Refusal } from '../model/refusal.ts'
import { buildUri } from '../model/uri/build-uri.ts'
import { explainMatch } from '../model/uri/explain-match.ts'
import { parseTarget } from '../model/uri/target.ts'
import type { UriTemplate } from '../model/uri/uri-template.ts'
import { bindUri } from '../steps/bind-uri.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { requireOperation } from '../terminal/find-named.ts'
import { alignColumns, print, printJson, show } from '../terminal/print.ts'
import { projectOption } from '../terminal/project-options.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly project: string
  readonly revision?: string
  readonly json?: boolean
}

export function template(command: Command): void {
  const group = command
    .description('Builds a URL from a URI template of an operation, and shows which template a URL matches.')
    .addHelpText('after', examples)
  group
    .command('build')
    .description('Build the URL of a URI template, as broker.getUrl does.')
    .argument('<operation>', 'KEY_VALUE_GET.v1; the version is optional if there is only one')
    .argument('<index>', 'index of the URI template, from 1')
    .argument('[values...]', 'name=value for each variable; repeat it for a collection')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--json', 'print { "url" }')
    .action(build)
  group
    .command('match')
    .description('Show which URI template a path matches, and why the others do not. Exit code 1 if none does.')
    .argument('<operation>', 'KEY_VALUE_GET.v1; the version is optional if there is only one')
    .argument('<path>', 'what follows <operation>.<version> in the URL: echo/x, or with it: /ECHO.v1/echo/x')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--json', 'print { "values", "refusal", "templates" }')
    .action(match)
}

const examples = `
Examples:
  ig template build ECHO_GET 1 parameter1=x
  ig template match ECHO_GET 'echo/?value-to-echo=x'`

async function build(name: string, index: string, pairs: readonly string[], options: Options): Promise<void> {
  const operation = await readOperation(name, options)
  const chosen = requireTemplate(operation, index)
  const values = readValues(pairs, operation)
  try {
    const url = `/${operation.segment}${buildUri(chosen, values, operation.templates)}`
    if (options.json) printJson({ url })
    else print(url)
  } catch (error) {
    throw new Failure(`${(error as Error).message}.`)
  }
}

async function match(name: string, path: string, options: Options): Promise<void> {
  const operation = await readOperation(name, options)
  const { templates, segment } = operation
  const own = `/${segment}`
  const below = path === own || path.startsWith(`${own}/`) || path.startsWith(`${own}?`) ? path.slice(own.length) : path
  const separator = below === '' || /^[/?]/.test(below) ? '' : '/'
  try {
    const target = parseTarget(`/IG/RESTListeningConnector/NODE${own}${separator}${below}`, 'IG')
    const verdicts = explainMatch(templates, target)
    const bound = collectRefusal(() => bindUri(target, operation))
    if (bound.refusal) terminal().exitCode = 1
    if (options.json) {
      return printJson({ values: bound.uri?.values, refusal: bound.refusal?.code, templates: verdicts })
    }
    const rows = verdicts.map(({ index, source, isMatch, reason }) => [
      `${index}`,
      source,
      isMatch ? 'matches' : reason,
    ])
    print(alignColumns(rows).join('\n'))
    if (bound.uri) print(show(`template ${bound.uri.uriResourceIndex}${writeValues(bound.uri)}`))
    else print(show(`${bound.refusal?.code}: ${bound.refusal?.detail ?? bound.refusal?.message}`))
  } catch (error) {
    if (error instanceof Refusal) throw new Failure(error.detail ?? error.message)
    throw error
  }
}

async function readOperation(name: string, options: Options): Promise<Operation> {
  const { configuration, handlers } = await openRequestedProject(options)
  return requireOperation(name, compileCatalog(configuration, handlers))
}

function requireTemplate({ id, templates }: Operation, text: string): UriTemplate {
  const found = templates.find(({ index }) => String(index) === text)
  if (found) return found
  const known = templates.toSorted((a, b) => a.index - b.index).map(({ index, source }) => `\n  ${index}  ${source}`)
  throw new Failure(`${id} has no URI template ${show(text)}. It has:${known.join('')}`)
}

/** Values are texts; the element's type parses them. */
function readValues(pairs: readonly string[], { document }: Operation): Record<string, string | readonly string[]> {
  const values: Record<string, string | readonly string[]> = Object.create(null)
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    if (equals < 1) throw new Failure(`${show(pair)} is not name=value.`)
    const name = pair.slice(0, equals)
    const value = pair.slice(equals + 1)
    const earlier = values[name]
    if (document?.elements.get(name)?.isCollection) values[name] = [...(earlier ?? []), value]
    else if (earlier === undefined) values[name] = value
    else throw new Failure(`${show(name)} is given twice, but is not a collection.`)
  }
  return values
}

function collectRefusal(bind: () => ReturnType<typeof bindUri>) {
  try {
    return { uri: bind() }
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error }
    throw error
  }
}
