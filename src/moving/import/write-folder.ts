/**
 * Writes a project folder completely or not at all: writes it next to its place, checks it there, then renames it
 * (specification 16.8).
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Problem } from '../../model/problem.ts'
import { openProject, ProjectProblems } from '../../project/open-project.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { show } from '../../terminal/print.ts'
import type { RecordedBody } from './recording.ts'
import { marker } from './write-project.ts'

/** A folder that is absent or empty; with force also a project written by an import. */
export function requireReplaceable(folder: string, force: boolean): void {
  if (folder === '') throw new Failure('the folder has no name. Name one with --into <folder>.')
  let names: readonly string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') throw new Failure(`${show(folder)} is a file. Name another folder with --into <folder>.`)
    if (code !== 'ENOENT') throw error
  }
  if (names.length === 0) return
  const config = join(folder, 'gateway.config.ts')
  const isImported = existsSync(config) && readFileSync(config, 'utf8').startsWith(marker)
  if (isImported && force) return
  const way = isImported
    ? 'Replace it with --force, or name'
    : 'No import wrote it, so --force does not replace it: name'
  throw new Failure(`${show(folder)} is not empty. ${way} another folder with --into <folder>.`)
}

export interface FolderContent {
  readonly folder: string
  /** Path → text. */
  readonly texts: Readonly<Record<string, string>>
  /** Below `fixtures/`. */
  readonly files: ReadonlyMap<string, RecordedBody>
  /** The folder of bodies that are files. */
  readonly sources: string
  /** False: it is checked and then removed. */
  readonly isKept: boolean
}

/** @returns what is wrong with the project; then nothing is written */
export async function writeFolder({
  folder,
  texts,
  files,
  sources,
  isKept,
}: FolderContent): Promise<readonly Problem[]> {
  const target = resolve(folder)
  const parent = isKept ? dirname(target) : undefined
  if (parent !== undefined) mkdirSync(parent, { recursive: true })
  const temporary = mkdtempSync(join(parent ?? (await import('node:os')).tmpdir(), `.${basename(target)}-`))
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(temporary, name), text, { mode: modeOf(name) })
    for (const [name, body] of files) writeBody(join(temporary, 'fixtures', name), body, sources)
    await openProject(temporary)
    if (isKept) replace(target, temporary)
    return []
  } catch (error) {
    if (error instanceof ProjectProblems) return error.problems
    throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Operators have digests of passwords. */
function modeOf(name: string): number {
  return name.endsWith('.csv') ? 0o600 : 0o666
}

function writeBody(path: string, body: RecordedBody, sources: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if ('source' in body) copyFileSync(join(sources, body.source), path)
  else writeFileSync(path, Buffer.from(body.text, body.isBase64 ? 'base64' : 'utf8'))
}

/** Files that no import writes stay: the database, installed packages, version control. */
function replace(target: string, temporary: string): void {
  const old = `${temporary}-old`
  const isThere = existsSync(target)
  if (isThere) renameSync(target, old)
  try {
    renameSync(temporary, target)
  } catch (error) {
    if (isThere) renameSync(old, target)
    throw error
  }
  if (!isThere) return
  for (const name of readdirSync(old)) {
    if (!existsSync(join(target, name))) renameSync(join(old, name), join(target, name))
  }
  rmSync(old, { recursive: true, force: true })
}
