/**
 * The value at a path of a request body (specification 16.15): a JSON pointer, or an absolute path of XML elements, at
 * whose end an attribute may be.
 */
import type { XmlElement } from './xml.ts'
import { parseXml } from './xml-reader.ts'

/** A longer body has no values: it would be parsed as a whole, between other calls. */
const maxBody = 1024 * 1024
const limits = { xmlMaxDepth: 256, xmlMaxAttributes: 10_000, xmlMaxTextLength: maxBody }

/** @returns the text at a path; undefined if there is none, or a list or an object */
export function openBody(text: string): (path: string) => string | undefined {
  if (text.length > maxBody) return () => undefined
  try {
    if (!text.trimStart().startsWith('<')) {
      const value = JSON.parse(text.replace(/^\ufeff/, '')) as unknown
      return (path) => findInJson(value, path)
    }
    const { root } = parseXml(text, limits)
    return (path) => findInXml(root, path)
  } catch {
    return () => undefined // no row asks for a body that cannot be read
  }
}

/** RFC 6901. */
function findInJson(value: unknown, path: string): string | undefined {
  let found = value
  for (const step of path.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  if (typeof found === 'string') return found
  return typeof found === 'object' && found !== null ? undefined : JSON.stringify(found)
}

/** The element of an absolute path; of several with one name, the first. */
function findInXml(root: XmlElement, path: string): string | undefined {
  const [first, ...steps] = path.slice(1).split('/')
  let found: XmlElement | undefined = root.name === first ? root : undefined
  for (const [at, step] of steps.entries()) {
    if (step.startsWith('@') && at === steps.length - 1) return found?.attributes[step.slice(1)]
    found = found?.elements().find(({ name }) => name === step)
  }
  return found?.text
}
