/** Hostile texts as recordings and descriptions, and the projects that are made of them read back (specification 16.10). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'
import { createXmlDoc, writeXml } from '../../src/model/content/xml.ts'
import { assembleProject } from '../../src/moving/import/assemble.ts'
import { importRequests } from '../../src/moving/import/import-requests.ts'
import type { ImportResult } from '../../src/moving/import/imported-operations.ts'
import { importOpenApi } from '../../src/moving/import/openapi.ts'
import { readDocument } from '../../src/moving/import/read-document.ts'
import { readHar } from '../../src/moving/import/read-har.ts'
import { importWadl } from '../../src/moving/import/wadl.ts'
import { writeProjectTexts } from '../../src/moving/import/write-project.ts'
import { writeLiteral } from '../../src/project/write-literal.ts'
import type { Tally } from '../ordeal/ordeal.ts'
import { findOrder, readModule, readProperties } from './read-back.ts'

export type Texts = readonly string[]
export type Report = (what: string, text: unknown) => void

/** A recording for each text, with the text in every part of the recording. */
export function fromHar(texts: Texts): ImportResult {
  const entries = texts.map((text, at) => {
    const segment = encodeURIComponent(text.toWellFormed().replaceAll('\0', '') || 'x')
    const alias = at % 2 ? segment.replaceAll(/%0[AD]|%E2%80%A[89]/g, '') || 'x' : 'OP' // a name of several lines is refused
    const place = at % 3 ? `${segment}/RESTListeningConnector/${segment}` : 'GW/RESTListeningConnector/N'
    const url = `http://h/${place}/${alias}.v1/${segment}?${segment}=${segment}`
    const header = { name: ['etag', 'location', text][at % 3], value: text }
    const content = { text, mimeType: at % 2 ? text : 'text/xml' }
    const request = { method: 'GET', url, headers: [{ name: 'authorization', value: `Bearer ${text}` }] }
    return { request, response: { status: 200, headers: [header], content } }
  })
  const folder = mkdtempSync(join(tmpdir(), 'ig-har-'))
  const file = join(folder, `har ${(texts[0] ?? '').toWellFormed().replaceAll(/[\0/]/g, '').slice(0, 60)}`)
  writeFileSync(file, JSON.stringify({ log: { entries } }))
  const read = readHar(file, folder)
  rmSync(folder, { recursive: true })
  const imported = importRequests(read.recordings, { service: texts[1] ?? '' })
  return {
    ...imported,
    notices: [...read.notices, ...imported.notices],
    problems: [...read.problems, ...imported.problems],
  }
}

export function fromYaml(texts: Texts): ImportResult {
  const [title = '', tag = '', summary = '', name = '', value = '', ...paths] = texts.map((text) => text.toWellFormed())
  const parameters = [
    { name, in: 'query', required: true, schema: { type: 'string', enum: [value] } },
    { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
  ]
  const get = {
    summary,
    description: title,
    tags: [tag],
    parameters,
    responses: { 200: { content: { 'application/json': { example: { [name]: value } } } } },
  }
  const document = {
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: `http://h/${title}/RESTListeningConnector/${tag}` }],
    paths: Object.fromEntries(paths.map((path, at) => [`/op${at}/${path}/{id}`, { get }])),
  }
  const read = readDocument(stringify(document), title)
  if ('problems' in read)
    return { operations: [], nodes: [], gatewayPath: undefined, notices: [], problems: read.problems }
  return importOpenApi(read.value) // of some texts the library writes YAML that says something else
}

export function fromWadl(texts: Texts): ImportResult {
  const fit = texts.map((text) => text.replace(unfit, ''))
  const document = createXmlDoc('application')
  document.root.addElement('doc').setAttribute('title', fit[0] ?? '')
  const resources = document.root
    .addElement('resources')
    .setAttribute('base', `http://h/${fit[1]}/RESTListeningConnector/N`)
  for (const [at, text] of fit.entries()) {
    const resource = resources.addElement('resource').setAttribute('path', `op${at}/${text.replaceAll('?', '')}`)
    const method = resource.addElement('method').setAttribute('name', 'GET')
    method.addElement('doc', text)
    const request = method.addElement('request')
    for (const style of ['query', 'template'])
      request.addElement('param').setAttribute('name', text).setAttribute('style', style).setAttribute('fixed', text)
  }
  return importWadl(writeXml(document), texts[0] ?? '')
}

/** What XML cannot carry, by its recommendation. */
const unfit = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** What the files of the project say is what was imported, and nothing beside it. @returns false where it is refused */
export function readImport(imported: ImportResult, texts: Texts, report: Report): boolean {
  const { problems } = imported
  if (problems.length > 0) return false
  const project = assembleProject(imported)
  if ('problems' in parseConfiguration(project.definition)) return false
  const files = writeProjectTexts(project, {
    source: texts[0] ?? '',
    newPassword: () => 'x',
    writeLiteral,
  })
  const check = (holds: boolean, fault: string) => void (holds || report(fault, texts))
  for (const [name, content] of Object.entries(files)) check(findOrder(content) === undefined, `${name} has an order`)

  const settings = readProperties(files['integrationGateway.properties'] ?? '')
  const stated = Object.keys(settings).every((key) => settingNames.has(key))
  check(stated, `settings: ${Object.keys(settings).join(', ').slice(0, 200)}`)
  check(/^[\w.~-]+$/.test(settings['ig.gatewayPath'] ?? 'PSIGW'), 'gateway path')

  const { definition } = project
  const module = readModule(files['gateway.config.ts'] ?? '')
  check(isDeepStrictEqual(Object.keys(module).sort(), moduleNames), `exports: ${Object.keys(module).join(', ')}`)
  check(isDeepStrictEqual(module.default, JSON.parse(JSON.stringify(definition))), 'another configuration')
  for (const file of project.files.keys()) check(/^\w[\w-]*(?:\.v\d+)?(?:\/[\w-]+)?\.\w+$/.test(file), `path ${file}`)
  const { nodes, services, documents } = definition
  for (const { name } of [...nodes, ...services, ...documents])
    check(/^[A-Z][A-Z0-9_]{0,29}$/.test(name), `name ${name}`)
  return true
}

const settingNames: ReadonlySet<string> = new Set(['ig.gatewayPath', 'ig.AuthorizationServer', 'ig.JSONWebKey'])
const moduleNames = ['default', 'import integration-gateway', 'sampleOperators']

export function inGroups(texts: readonly string[], size: number, read: (group: readonly string[]) => Tally): Tally {
  const sum: Record<string, number> = {}
  for (let at = 0; at < texts.length; at += size)
    for (const [name, value] of Object.entries(read(texts.slice(at, at + size)))) sum[name] = (sum[name] ?? 0) + value
  return sum
}
