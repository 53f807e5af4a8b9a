/** Which permission a file lacks for this process: the errors of the system and of SQLite do not say it. */
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const { R_OK, W_OK, X_OK } = constants

/** @returns undefined if the file can be read (and written, or created) */
export function findDenied(path: string, use: 'read' | 'write'): string | undefined {
  const file = resolve(path)
  const who = process.getuid ? `the user with the id ${process.getuid()}` : 'this user'
  for (const folder of foldersOf(file))
    if (!may(folder, X_OK)) return `${who} may not enter the folder ${folder}: it needs the permission x`
  const folder = dirname(file)
  if (!existsSync(file)) {
    const parent = foldersOf(file).findLast(existsSync) ?? folder
    if (use === 'read' || may(parent, W_OK)) return undefined
    return `${who} may not create ${file}: the folder ${parent} needs the permission w`
  }
  if (!may(file, R_OK)) return `${who} may not read ${file}: it needs the permission r`
  if (use === 'write' && !may(file, W_OK)) return `${who} may not write ${file}: it needs the permission w`
  return undefined
}

/** The folders of a path, from the root. */
function foldersOf(file: string): readonly string[] {
  const folder = dirname(file)
  return folder === file ? [] : [...foldersOf(folder), folder].filter((each) => existsSync(each))
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch (error) {
    return !['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
