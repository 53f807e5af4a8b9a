/**
 * The Node of the release in use (specification 17.14): a supervisor outlives the release that it was started from, and
 * starts workers of the one that has its place.
 */
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

/** By the name that this process was started with, if that is the one that runs it: another release may have it later. */
const byName = findNamed(process.argv0).find((file) => resolveLinks(file) === process.execPath)

/** Looked up for each start: the file that runs this process may be gone. */
export function findNode(): string {
  const places = [...(byName === undefined ? [] : [byName]), process.execPath, ...findBeside(process.argv[1] ?? '')]
  return places.find(isExecutable) ?? process.execPath
}

/** As the system finds a command. */
function findNamed(name: string): readonly string[] {
  if (name.includes('/')) return [resolve(name)]
  return (process.env.PATH ?? '').split(delimiter).map((folder) => resolve(folder, name))
}

/** The packages around a script, from the nearest. */
function findBeside(script: string): readonly string[] {
  const found: string[] = []
  for (let folder = dirname(resolveLinks(script) ?? script); ; folder = dirname(folder)) {
    found.push(join(folder, 'node_modules/.bin/node'))
    if (folder === dirname(folder)) return found
  }
}

function resolveLinks(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
