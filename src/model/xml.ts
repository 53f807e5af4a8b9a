/** XML: a small tree, its writer, and the limits of reading (specification 5). */

export interface XmlDocument {
  readonly root: XmlElement
}

export interface XmlElement {
  readonly name: string
}
