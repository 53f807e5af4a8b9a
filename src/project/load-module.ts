/** Loads a module of a project, and explains in plain words why it cannot be loaded (specification 2.12). */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findDenied } from '../base/find-denied.ts'
import { suggest } from '../base/nearest.ts'

export type Exports = Readonly<Record<string, unknown>>

/**
 * @param folder the project folder, symbolic links resolved
 * @param path within it, with forward slashes
 * @returns the exports of the module, or what is wrong, as a predicate for the place that names the module
 */
export async function loadModule(folder: string, path: string): Promise<{ exports: Exports } | { error: string }> {
  let denied: string | undefined
  const file = await realpath(join(folder, path)).catch(({ code }) => {
    denied = code === 'EACCES' ? findDenied(join(folder, path), 'read') : undefined
    return undefined
  })
  if (denied !== undefined) return { error: `cannot be loaded: ${path}: ${denied}` }
  if (file === undefined)
    return { error: `names a file that does not exist: ${path}${await suggestFile(folder, path)}` }
  if (!file.startsWith(folder + sep))
    return { error: `names a symbolic link that leads out of the project folder: ${path}` }
  if (!(await stat(file)).isFile()) return { error: `names something that is not a file: ${path}` }
  try {
    return { exports: await import(pathToFileURL(file).href) }
  } catch (error) {
    const place = findPlace(error, file, folder) ?? path
    return { error: `cannot be loaded: ${place}: ${describe(error, folder)}` }
  }
}

async function suggestFile(folder: string, path: string): Promise<string> {
  const files = await readdir(join(folder, dirname(path))).catch(() => [])
  return suggest(basename(path), files)
}

function describe(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return `it throws ${String(error)}`
  if (isDenied(error)) return explainDenied(error, folder)
  const message = error.message.replaceAll(folder + sep, '')
  for (const [pattern, advice] of advices) if (pattern.test(message)) return `${message} (${advice})`
  return message
}

const advices = [
  [
    /^Unexpected token 'export'|^Cannot use import statement outside/,
    'package.json of the project must say "type": "module"',
  ],
  [/^Cannot find package /, 'run npm install in the project'],
] as const

interface DeniedError extends Error {
  readonly permission?: string
  readonly resource?: string
}

function isDenied(error: Error): error is DeniedError {
  return (error as NodeJS.ErrnoException).code === 'ERR_ACCESS_DENIED'
}

/** While a draft is checked, Node denies modules most of the machine (specification 18.37). */
function explainDenied({ permission = '', resource = '' }: DeniedError, folder: string): string {
  const what = `${permission} ${resource.replace(folder + sep, '')}`.trim()
  return `it needs access that modules do not have while a draft is checked (${what}). Do that in onRequest, or activate it with ig apply`
}

/** @returns `handlers/echo.ts:3`; the file may be one that the module imports */
function findPlace(error: unknown, file: string, folder: string): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { stack = '' } = error
  const [, importer] = /imported from (.+)$/m.exec(error.message) ?? []
  const place =
    readPlace(/^((?:file:\/\/)?\/.+):(\d+)\n/.exec(stack)) ?? // a syntax error found by the parser
    findImport(importer, error as { url?: string; message: string }) ??
    [...stack.matchAll(/^\s+at .*?((?:file:\/\/)?\/[^():]+):(\d+):\d+\)?$/gm)]
      .map(readPlace)
      .find((frame) => isWithin(frame, folder)) ??
    (error instanceof SyntaxError ? checkSyntax(file) : undefined)
  return isWithin(place, folder) ? `${relative(folder, place.file)}:${place.line}` : undefined
}

interface Place {
  readonly file: string
  readonly line: number
}

function readPlace(match: RegExpExecArray | RegExpMatchArray | null): Place | undefined {
  const [, file, line] = match ?? []
  if (file === undefined) return undefined
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line) }
}

function isWithin(place: Place | undefined, folder: string): place is Place {
  return place?.file.startsWith(folder + sep) === true
}

/** The line that imports a missing module. */
function findImport(
  importer: string | undefined,
  { url, message }: { url?: string; message: string },
): Place | undefined {
  if (importer === undefined) return undefined
  const file = importer.startsWith('file:') ? fileURLToPath(importer) : importer
  const target = url ? basename(url) : (/'([^']+)'/.exec(message)?.[1] ?? '')
  const index = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(target))
  return { file, line: Math.max(0, index) + 1 }
}

/** For JavaScript, `import()` does not report the line. Without child processes, this does not either. */
function checkSyntax(file: string): Place | undefined {
  if (process.permission?.has('child') === false) return undefined
  const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' })
  return readPlace(/^((?:file:\/\/)?\/.+):(\d+)\n/.exec(stderr))
}
