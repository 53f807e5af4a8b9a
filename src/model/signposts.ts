/**
 * What a refused URL was probably meant to be, for the log and `ig explain`, never for the caller (specification 36.14).
 * It reads the path part by part, repairs what is wrong and says what.
 */
import { openNearNames } from '../base/near-names.ts'
import { findNearest } from '../base/nearest.ts'
import type { Fallbacks } from './fallbacks.ts'
import { methods } from './operation-terms.ts'
import type { Compatibility } from './uri/relax.ts'
import type { Target } from './uri/target.ts'

export interface PublishedGateway {
  readonly gatewayPath: string
  readonly compatibility: Compatibility
  readonly nodes: ReadonlySet<string>
  /** Operations by their segment in URLs, then by method. */
  readonly services: ReadonlyMap<string, ReadonlyMap<string, { readonly name: string }>>
  readonly fallbacks: Fallbacks
  /** The URL is one of an operation, and matches its templates, if these settings are active. */
  accepts(compatibility: Compatibility): boolean
}

const connector = 'RESTListeningConnector'
const session = /;jsessionid=[^/]*/i
const maxNamed = 5

/** @returns a sentence or two; empty if the path is right up to the operation */
export function findSignpost(method: string, rawPath: string, published: PublishedGateway): string {
  const faults: string[] = []
  const { gatewayPath, nodes } = published
  const plain = rawPath.replace(session, '')
  if (plain !== rawPath) faults.push('it has a session id (;jsessionid)')
  const segments = plain.split('/').slice(1, 40).map(decode)
  const nodeAt = segments.findIndex((segment) => nodes.has(segment))
  if (nodeAt >= 0 && !segments.some(isConnector)) {
    faults.push(`${connector} is missing before ${segments[nodeAt]}`)
    segments.splice(nodeAt, 0, connector)
  }
  const at = segments.findIndex(isConnector)
  const form = `URLs have the form /${gatewayPath}/${connector}/<node>/<operation>.v1/…`
  if (at < 0) return `${form}.`
  const root = segments.slice(0, at).join('/')
  if (root === '') faults.push(`the gateway path ${gatewayPath} is missing`)
  else if (root !== gatewayPath) faults.push(`${quote(root)} must be ${gatewayPath}, the gateway path`)
  if (segments[at] !== connector) faults.push(`${quote(segments[at])} must be ${connector}`)
  const below = segments.slice(at + 1)
  const [node = '', service = ''] = below.filter((segment) => segment !== '')
  if (!nodes.has(node) && published.services.has(node))
    return `${capitalise([...faults, `the node is missing before ${node}; active are ${list(nodes)}`].join('; '))}.`
  if (node === '' || service === '') return `${[...faults, form].join('; ')}.`
  if (below[0] === '' || below[1] === '') faults.push('an empty segment (//) is before the operation')
  const rightNode = nodes.has(node) ? node : nearOf(nodes)(node)
  if (rightNode === undefined) faults.push(`no active node is near ${quote(node)}; active are ${list(nodes)}`)
  else if (rightNode !== node) faults.push(`the node ${quote(node)} must be ${rightNode}`)
  const right = findService({ node: rightNode ?? '', service }, method, published, faults)
  if (faults.length === 0) return ''
  const told = `${capitalise(faults.join('; '))}.${proposeSettings(published)}`
  if (rightNode === undefined || right === undefined) return told
  return `${told} Right would be /${gatewayPath}/${connector}/${rightNode}/${right}`
}

/** The settings that are off and, once on, make the gateway accept the URL as it is. */
function proposeSettings({ compatibility, accepts }: PublishedGateway): string {
  const sets = [['emptySegments'], ['sessionSuffix'], ['emptySegments', 'sessionSuffix']] as const
  const found = sets.find(
    (names) =>
      names.every((name) => !compatibility[name]) &&
      accepts({ ...compatibility, ...Object.fromEntries(names.map((name) => [name, true])) }),
  )
  return found ? ` With ${found.map((name) => `ig.compat.${name}=true`).join(' and ')} the URL is accepted.` : ''
}

/** In any letter case, with up to three typing errors. */
function isConnector(segment: string): boolean {
  return segment === connector || findNearest(segment, [connector], 3) !== undefined
}

/** `ECHO.v1` */
function findService(
  { node, service: sent }: Pick<Target, 'node' | 'service'>,
  method: string,
  published: PublishedGateway,
  faults: string[],
): string | undefined {
  const { services, fallbacks } = published
  const passes = (service: string) => fallbacks.find({ node, service }, method) !== undefined
  const known = services.get(sent)
  if (known) {
    if (!known.has(method) && !passes(sent))
      faults.push(`${quote(sent)} has ${list(known.keys())}, not ${method.slice(0, 20)}`)
    return sent
  }
  const [, whole, more] = /^(.+\.v\d+)(\D.*)$/i.exec(sent) ?? []
  if (whole !== undefined && more !== undefined) {
    faults.push(`${quote(sent)} has ${quote(more)} behind its version`)
    return findService({ node, service: whole }, method, published, faults)
  }
  const [, name = sent, version] = /^(.*)\.(v\d+)$/i.exec(sent) ?? []
  const wanted = (version ?? 'v1').toLowerCase()
  const bare = name.replace(methodSuffix, '')
  const isOwn = services.has(`${bare}.${wanted}`)
  const isRight = (candidate: string) => services.has(candidate) || (!isOwn && passes(candidate))
  if (isRight(sent)) return sent
  for (const [candidate, fault] of [
    [`${name}.${wanted}`, `${quote(sent)} has no version`],
    [`${bare}.${wanted}`, `${quote(sent)} has the method in its name, which URLs do not have`],
    [name, `${quote(sent)} has a version, which the URLs of ${name} do not have`],
  ] as const)
    if (isRight(candidate)) {
      faults.push(
        version === undefined || candidate !== `${name}.${wanted}` ? fault : `${quote(version)} must be ${wanted}`,
      )
      return candidate
    }
  const alias = aliasOf(services, bare) ?? aliasOf(services, name)
  if (alias !== undefined) {
    const right = [`${alias}.${wanted}`, alias].find((service) => services.has(service))
    if (right !== undefined) {
      faults.push(`${quote(sent)} has the name of the operation; URLs have its alias, ${alias}`)
      return right
    }
  }
  const near = nearOf(services)
  const found =
    near(`${name}.${wanted}`, typingErrors(name)) ??
    (bare === name ? undefined : near(`${bare}.${wanted}`, typingErrors(bare))) ??
    near(name, typingErrors(name))
  if (found === undefined) {
    faults.push(`no active operation is near ${quote(sent)}`)
    return undefined
  }
  const isVersion = found.replace(/\.v\d+$/, '') === name
  faults.push(
    isVersion
      ? `${quote(name)} has no version ${wanted}; ${found} is near`
      : `${quote(sent)} is not known; ${found} is near`,
  )
  return found
}

/** Operations with an alias are reached by that alone. */
function aliasOf(services: PublishedGateway['services'], name: string): string | undefined {
  let aliases = aliasesOf.get(services)
  if (!aliases) {
    const all = [...services].flatMap(([service, methods]) =>
      [...methods.values()].map((one) => [one.name, service.replace(/\.v\d+$/, '')] as const),
    )
    aliases = new Map(all.filter(([name, alias]) => name !== alias))
    aliasesOf.set(services, aliases)
  }
  return aliases.get(name.toUpperCase())
}

/** Once for a configuration, at its first refusal of that kind. */
const aliasesOf = new WeakMap<PublishedGateway['services'], ReadonlyMap<string, string>>()

/** Another third of a name makes it another name. */
function typingErrors(name: string): number {
  return Math.max(1, Math.floor(name.length / 3))
}

const methodSuffix = new RegExp(`_(?:${methods.join('|')})$`, 'i')

/** Sorted once for a configuration, at its first refusal of that kind. */
const known = new WeakMap<object, ReturnType<typeof openNearNames>>()

function nearOf(names: Pick<ReadonlySet<string>, 'keys'>): ReturnType<typeof openNearNames> {
  const opened = known.get(names) ?? openNearNames(names.keys())
  known.set(names, opened)
  return opened
}

/** As far as it is encoded well. */
function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function quote(text = ''): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}

function list(names: Iterable<string>): string {
  const all = [...names]
  const more = all.length > maxNamed ? ` and ${all.length - maxNamed} more` : ''
  return `${all.slice(0, maxNamed).join(', ')}${more}`
}

function capitalise(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`
}
