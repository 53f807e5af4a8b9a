/** Hostile texts as descriptions of operations in OpenAPI and WADL, read back (specification 8.8). */
import { isDeepStrictEqual } from 'node:util'
import { escapeMarkup, writeJson } from '../../../src/base/escape.ts'
import { describeOpenApi } from '../../../src/features/descriptions/openapi.ts'
import { describeWadl } from '../../../src/features/descriptions/wadl.ts'
import { isXmlText } from '../../../src/model/content/xml.ts'
import type { Tally } from '../../ordeal/ordeal.ts'
import { inGroups, type Report, type Texts } from '../../support/import-back.ts'
import { compileDefinition } from '../../support/many-operations.ts'
import { findOrder, readMarkup } from '../../support/read-back.ts'
import { settings } from './described.ts'

export const descriptions = (texts: Texts, report: Report): Tally =>
  inGroups(texts, 100, (group) => readDescriptions(group, report))

function readDescriptions(texts: Texts, report: Report): Tally {
  const catalog = compileDefinition({
    nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
    services: [{ name: 'S', description: texts[0] ?? '' }],
    operations: texts.map((description, at) => ({
      service: 'S',
      name: `OP_${at}`,
      method: 'GET' as const,
      verification: 'NONE' as const,
      description,
      handler: 'handlers/x.ts',
    })),
  })
  const options = { settings, baseUrl: undefined, operator: undefined }
  const document = describeOpenApi(catalog, { ...options, service: undefined })
  const json = writeJson(document, 2)
  if (findOrder(json) !== undefined) report('an order in OpenAPI', texts)
  if (!isDeepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(document)))) report('another OpenAPI', texts)
  const wadl = escapeMarkup(describeWadl(catalog, { ...options, service: 'S' }))
  if (findOrder(wadl) !== undefined) report('an order in WADL', texts)
  const { tags, texts: read } = readMarkup(wadl)
  if (tags.filter((tag) => tag.startsWith('resource ')).length !== texts.length) report('markup in WADL', texts)
  for (const text of texts.filter(isXmlText))
    if (text.trim() && !read.includes(text)) report('another text in WADL', text)
  return { descriptions: texts.length }
}
