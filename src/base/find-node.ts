/**
 * The Node of the current release (specification 17.4): a supervisor outlives the release that started it, and starts
 * workers of its successor.
 */
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

/**
 * By the name that this process was started with, if it leads to the running Node: it may lead to another release
 * later.
 */
const byName = findNamed(process.argv0).find((file) => resolveLinks(file) === process.execPath)

/** Looked up at each start: the running executable may have been removed. */
export function findNode(): string {
  const places = [...(byName === undefined ? [] : [byName]), process.execPath, ...findBeside(process.argv[1] ?? '')]
  return places.find(isExecutable) ?? process.execPath
}

/** Finds a program by its name as the system does. */
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
