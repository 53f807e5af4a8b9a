/** The welcome of `ig dev`: addresses, and commands to try (specification 9.15). */
import { relative } from 'node:path'
import type { OpenFeature } from '../../feature.ts'
import type { Project } from '../../project/open-project.ts'
import { maskDatabase, type Settings } from '../../settings.ts'
import { alignColumns, type Colours, show } from '../../terminal/print.ts'
import type { Administration } from '../open-administration.ts'
import type { OpenGateway } from '../open-gateway.ts'
import { writeCurlLines } from './curl-lines.ts'

export interface WelcomeFacts {
  readonly opened: Pick<OpenGateway, 'gateway' | 'url' | 'tlsUrl'>
  readonly project: Pick<Project, 'folder' | 'sampleOperators'>
  readonly settings: Settings
  /** The sample issuer, if it runs. */
  readonly issuer: { readonly issuer: string; readonly tokenEndpoint: string } | undefined
  /** Its address, if it runs; with the one-time link until there is an administrator. */
  readonly administration?: Administration | undefined
  readonly features?: readonly Pick<OpenFeature, 'welcome'>[]
  /** The current folder: paths below it are printed relative to it. */
  readonly from: string
}

export function writeWelcome(facts: WelcomeFacts, { bold, dim, accent }: Colours): string {
  const { opened, settings, issuer, administration, project, from, features = [] } = facts
  const { catalog, operators } = opened.gateway
  const below = (url: string) => `${url}/${settings.gatewayPath}/RESTListeningConnector/${catalog.defaultNode}`
  const places = alignColumns([
    ['Gateway', below(opened.url)],
    ...(opened.tlsUrl ? [['TLS', below(opened.tlsUrl)]] : []),
    ...(issuer ? [['Issuer', `${issuer.issuer}  (sample OAuth2 issuer)`]] : []),
    ...(administration ? [['Console', administration.url]] : []),
    ...(administration?.setup === undefined ? [] : [['', administration.setup]]),
    ['Configuration', describeConfiguration(catalog.revision)],
    ...features.flatMap(({ welcome }) => {
      const line = welcome?.(catalog)
      return line ? [line] : []
    }),
    ['Database', showPath(settings.database, from)],
    ...(settings.log.hasFiles
      ? [
          ['Messages', showPath(settings.log.messageLogFile, from)],
          ['Errors', showPath(settings.log.errorLogFile, from)],
        ]
      : []),
  ])
  const examples = writeCurlLines({
    operations: [...catalog.services.values()].flatMap((methods) => [...methods.values()]),
    base: below(opened.url),
    secureBase: opened.tlsUrl && below(opened.tlsUrl),
    anonymous: catalog.anonymousOperatorId === undefined ? undefined : operators.get(catalog.anonymousOperatorId),
    operators,
    samples: project.sampleOperators,
    tokenEndpoint: issuer?.tokenEndpoint,
  })
  const curls = examples.flatMap(({ operation, credentials, line }, index) => {
    const [, version] = operation.id.split('.')
    const title = `${bold(operation.fullName)} ${dim([...(version ? [version] : []), credentials].join(', '))}`
    const isNew = examples[index - 1]?.operation !== operation
    return [...(isNew ? ['', title] : []), accent(line)]
  })
  const sections = [
    `${bold('Integration Gateway')} ${dim(`serves ${showPath(project.folder, from)} for development`)}`,
    places.map((line) => `  ${line.replace(/^\w+/, dim)}`).join('\n'),
    ...writeOperators(facts, dim),
    `Try it, in another terminal:\n${curls.join('\n')}`,
    dim('Ctrl-C stops. The data is kept for the next start.'),
  ]
  return `\n${sections.join('\n\n')}\n`
}

function describeConfiguration(revision: number | undefined): string {
  return revision === undefined
    ? 'gateway.config.ts  (with --revisions, the console edits it)'
    : `revision ${revision}  (edited in the console)`
}

function writeOperators({ opened, project }: WelcomeFacts, dim: (text: string) => string): readonly string[] {
  if (project.sampleOperators.length === 0) return []
  const { catalog, operators } = opened.gateway
  const all = [...catalog.services.values()].reduce((sum, methods) => sum + methods.size, 0)
  const rows = project.sampleOperators.map(({ id, password }) => {
    const operator = operators.get(id)
    const lists = operator?.permissionLists ?? []
    const permitted = new Set(lists.flatMap((name) => [...(catalog.permissionLists.get(name) ?? [])])).size
    const may = permitted === 0 ? 'nothing' : permitted >= all ? 'everything' : `${permitted} of ${all} operations`
    const remarks = [
      operator?.isLocked ? 'nothing: locked' : may,
      ...(id === catalog.anonymousOperatorId ? ['runs calls without credentials'] : []),
    ]
    return [show(id), show(password), remarks.join('; ')]
  })
  const [head = '', ...lines] = alignColumns([['Operator', 'Password', 'May call'], ...rows])
  return [[dim(head), ...lines].map((line) => `  ${line}`).join('\n')]
}

/** @param path of a file, or a database URL */
function showPath(path: string, from: string): string {
  if (path.includes('://')) return show(maskDatabase(path))
  const short = relative(from, path)
  if (short === '') return '.'
  return show(short.startsWith('..') ? path : short)
}
