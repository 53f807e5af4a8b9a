/** Paths of child steps and attributes through an XML tree, with namespaces (specification 5.11). */

interface Tree<Element> {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly parent: Element | undefined
  elements(): readonly unknown[]
}

type Namespaces = Readonly<Record<string, string>>

interface Step {
  /** Undefined for any. */
  readonly name: string | undefined
  /** Empty for none. */
  readonly uri: string
  readonly isAttribute: boolean
}

/** Without the operators of XPath, so that what looks like one is refused. */
const name = /[^\s/@:*[\]()|'"$,=<>!+.-][^\s/@:*[\]()|'"$,=<>!+]*/.source
const stepSyntax = new RegExp(`^(@?)(?:(${name}):)?(${name})$`)
const knownPrefixes: Namespaces = { xml: 'http://www.w3.org/XML/1998/namespace' }

/** @returns elements, or values where the path ends in an attribute */
export function selectNodes<Element extends Tree<Element>>(
  from: Element,
  path: string,
  namespaces: Namespaces,
): readonly Element[] | readonly string[] {
  const steps = path.split('/').map((text) => readStep(text, path, namespaces))
  const last = steps.at(-1)
  if (steps.slice(0, -1).some(({ isAttribute }) => isAttribute)) throw malformed(path)
  let found: readonly Element[] = [from]
  for (const step of steps) if (!step.isAttribute) found = found.flatMap((element) => childrenOf(element, step))
  return last?.isAttribute ? found.flatMap((element) => valuesOf(element, last)) : found
}

function readStep(text: string, path: string, namespaces: Namespaces): Step {
  if (text === '*') return { name: undefined, uri: '', isAttribute: false }
  const [, at, prefix, name] = stepSyntax.exec(text) ?? []
  if (name === undefined) throw malformed(path)
  const isAttribute = at === '@'
  // The default namespace is not that of attributes
  const uri = prefix === undefined ? (isAttribute ? '' : (namespaces[''] ?? '')) : findUri(prefix, namespaces)
  return { name, uri, isAttribute }
}

function findUri(prefix: string, namespaces: Namespaces): string {
  const uri = Object.hasOwn(namespaces, prefix) ? namespaces[prefix] : knownPrefixes[prefix]
  if (uri !== undefined) return uri
  throw new RangeError(`The namespaces given to select have no prefix ${JSON.stringify(prefix)}`)
}

function malformed(path: string): RangeError {
  const steps = 'steps are `name`, `prefix:name`, `*`, and at the end `@name`, separated by `/`'
  return new RangeError(`${JSON.stringify(path)} is not a path that select knows: ${steps}`)
}

function childrenOf<Element extends Tree<Element>>(element: Element, { name, uri }: Step): readonly Element[] {
  const children = element.elements() as readonly Element[]
  if (name === undefined) return children
  return children.filter((child) => localName(child.name) === name && resolve(child, prefixOf(child.name)) === uri)
}

function valuesOf<Element extends Tree<Element>>(element: Element, { name, uri }: Step): readonly string[] {
  const found = Object.entries(element.attributes).find(([key]) => {
    const prefix = prefixOf(key)
    return localName(key) === name && (prefix === '' ? '' : resolve(element, prefix)) === uri
  })
  return found ? [found[1]] : []
}

/** Undefined for a prefix that is not declared: no path selects it. */
function resolve<Element extends Tree<Element>>(element: Element, prefix: string): string | undefined {
  const key = prefix === '' ? 'xmlns' : `xmlns:${prefix}`
  for (let each: Element | undefined = element; each; each = each.parent) {
    const uri = each.attributes[key]
    if (uri !== undefined) return uri
  }
  return prefix === '' ? '' : knownPrefixes[prefix]
}

function prefixOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf(':')))
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}
