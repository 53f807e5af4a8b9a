/** Elements of WADL, also where a reference leads to them (specification 16.8). */
import type { XmlElement } from '../../model/content/xml.ts'
import { type Note, noteUnread } from './members.ts'

export interface References {
  /** The element with this id; a note, if there is none. */
  find(href: string, name: string, place: string): XmlElement | undefined
  /** Elements in place of those that refer to them. */
  follow(elements: readonly XmlElement[], place: string): readonly XmlElement[]
}

export function openReferences(root: XmlElement, note: Note): References {
  const byId = new Map<string, XmlElement>()
  const open = [root]
  for (let element = open.pop(); element; element = open.pop()) {
    if (element.attributes.id !== undefined) byId.set(`${localName(element)}#${element.attributes.id}`, element)
    open.push(...element.elements())
  }
  const find: References['find'] = (href, name, path) => {
    const element = href.startsWith('#') ? byId.get(name + href) : undefined
    const reason = href.startsWith('#') ? 'which does not exist' : 'outside the document'
    if (!element) note(path, `leaves out a ${name}: it refers to ${JSON.stringify(href)}, ${reason}`)
    return element
  }
  return {
    find,
    follow: (elements, place) =>
      elements.flatMap((element) => {
        const { href } = element.attributes
        return href === undefined ? element : (find(href, localName(element), place) ?? [])
      }),
  }
}

export function noteChildren(
  element: XmlElement,
  kind: Parameters<typeof noteUnread>[1],
  place: string,
  note: Note,
): void {
  noteUnread(element.elements().map(localName), kind, place, note)
}

export function localName({ name }: XmlElement): string {
  return name.replace(/^.*:/, '')
}

export function children(element: XmlElement, name: string): readonly XmlElement[] {
  return element.elements().filter((child) => localName(child) === name)
}
