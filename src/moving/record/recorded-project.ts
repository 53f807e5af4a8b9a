/**
 * The folder that `ig record` writes to (specification 38.5): `recorded/` is the recorder's, with the calls of all sessions
 * and what it made of them; `gateway.config.ts` is written once, and is its owner's from then on.
 */
import { hash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseConfiguration } from '../../configuration/parse-configuration.ts'
import { formatProblem } from '../../model/problem.ts'
import { writeLiteral } from '../../project/write-literal.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { show } from '../../terminal/print.ts'
import type { AssembledProject } from '../import/assemble.ts'
import { writeGrowingTexts } from '../import/write-project.ts'
import type { MaskedRecording } from './mask-urls.ts'
import { dropLost, type Lists, mergeDefinitions } from './merge.ts'

export interface WrittenProject {
  readonly kept: readonly string[]
  readonly definition: Lists
}

interface Base {
  readonly definition: Lists
  /** Below `fixtures/` → the digest of what was written. */
  readonly files: Readonly<Record<string, string>>
}

const definitionFile = 'recorded/definition.json'

/** Before anything is listened to: what cannot be merged later is refused now. */
export function requireRecordable(folder: string): void {
  const config = join(folder, 'gateway.config.ts')
  if (existsSync(config) && !readFileSync(config, 'utf8').includes(definitionFile))
    throw new Failure(
      `${show(folder)} has a gateway.config.ts that does not use ${definitionFile}, so nothing recorded would be served. ` +
        'Name another folder.',
    )
  readBase(folder)
  readCalls(folder)
  readJson(folder, definitionFile, {})
}

/** Of a project, a new one until it is written: pseudonyms are the same in all sessions. Not for version control. */
export function readKey(folder: string): string {
  const file = join(folder, keyFile)
  return existsSync(file) ? readFileSync(file, 'utf8') : randomBytes(32).toString('base64url')
}

function keepKey(folder: string, key: string): void {
  const file = join(folder, keyFile)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, key, { mode: 0o600 })
}

const keyFile = 'data/record.key'

export function readCalls(folder: string): readonly MaskedRecording[] {
  const file = join(folder, 'recorded/calls.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line, at) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as MaskedRecording]
    } catch {
      throw new Failure(`${show(file)}:${at + 1} is not JSON. Restore the file, or record into another folder.`)
    }
  })
}

function readBase(folder: string): Base {
  return readJson(folder, 'recorded/base.json', { definition: {}, files: {} })
}

function readJson<Value>(folder: string, name: string, fallback: Value): Value {
  const file = join(folder, name)
  if (!existsSync(file)) return fallback
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Value
  } catch (error) {
    throw new Failure(`${show(file)} is not JSON: ${(error as Error).message}. Correct or restore it.`)
  }
}

/** @param bodies a folder with the bodies of this session */
export function writeProject(
  folder: string,
  project: AssembledProject,
  calls: readonly MaskedRecording[],
  { bodies, key }: { readonly bodies: string; readonly key: string },
): WrittenProject {
  const base = readBase(folder)
  const current = readJson<Lists>(folder, definitionFile, {})
  const { definition: wanted } = mergeDefinitions(base.definition, current, project.definition)
  const next = dropLost(project.definition, wanted)
  const merged = mergeDefinitions(base.definition, current, next)
  const parsed = parseConfiguration(merged.definition)
  if ('problems' in parsed)
    throw new Failure(
      `what was recorded does not fit ${show(join(folder, definitionFile))}; nothing is written:\n` +
        parsed.problems.map((problem) => `  ${show(formatProblem(problem))}`).join('\n'),
    )
  const files: Record<string, string> = {}
  keepKey(folder, key)
  for (const { answer } of calls) if ('source' in answer.body) keepBody(folder, answer.body.source, bodies)
  for (const [name, body] of project.files) {
    if (!('source' in body)) continue
    const target = join(folder, 'fixtures', name)
    files[name] = body.source
    if (isTouched(target, base.files[name])) continue
    replaceFile(target, readFileSync(join(folder, 'recorded/bodies', body.source)))
  }
  const texts = writeGrowingTexts(project, definitionFile, { newPassword, writeLiteral })
  for (const [name, text] of Object.entries(texts))
    if (!existsSync(join(folder, name))) replaceFile(join(folder, name), text)
  replaceFile(join(folder, definitionFile), writeJsonFile(merged.definition))
  replaceFile(join(folder, 'recorded/base.json'), writeJsonFile({ definition: next, files }))
  replaceFile(join(folder, 'recorded/calls.jsonl'), calls.map((call) => `${JSON.stringify(call)}\n`).join(''))
  removeUnused(folder, base.files, files)
  return merged
}

function newPassword(): string {
  return randomBytes(12).toString('base64url')
}

function writeJsonFile(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

function digestOf(file: string): string {
  return hash('sha256', readFileSync(file)).slice(0, 32)
}

/** Changed or removed by a person, or theirs from the start. */
function isTouched(file: string, written: string | undefined): boolean {
  return existsSync(file) ? written === undefined || digestOf(file) !== written : written !== undefined
}

function keepBody(folder: string, source: string, bodies: string): void {
  const target = join(folder, 'recorded/bodies', source)
  if (existsSync(target)) return
  mkdirSync(dirname(target), { recursive: true })
  copyFileSync(join(bodies, source), `${target}.new`)
  renameSync(`${target}.new`, target)
}

/** Whole or not at all. */
function replaceFile(target: string, content: string | Buffer): void {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(`${target}.new`, content)
  renameSync(`${target}.new`, target)
}

function removeUnused(folder: string, before: Base['files'], now: Base['files']): void {
  for (const [name, written] of Object.entries(before)) {
    const file = join(folder, 'fixtures', name)
    if (!(name in now) && existsSync(file) && digestOf(file) === written) rmSync(file)
  }
}
