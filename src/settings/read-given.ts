/** Reads the properties file and the environment, by key; the environment wins (specification 8.1 to 8.3). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Properties, type PropertyNode } from 'properties-file/parser'
import { findNearest, suggest } from '../base/nearest.ts'
import type { Problem } from '../model/problem.ts'
import type { Row } from './row.ts'
import { type Environment, isOfSecrets } from './secret-files.ts'
import { variableOf } from './variable.ts'

export { variableOf } from './variable.ts'

export const settingsFile = 'integrationGateway.properties'

export interface GivenValue {
  readonly value: string
  /** Its source: `line 3`, `IG_PORT`, `--port`. */
  readonly source: string
}

interface Findings {
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

export function readGiven(
  folder: string,
  environment: Environment,
  rows: readonly Row[],
  found: Findings,
): Map<string, GivenValue> {
  const given = readFile(folder, rows, found)
  for (const [key, setting] of readEnvironment(environment, rows, found.warnings)) given.set(key, setting)
  return given
}

function readFile(folder: string, rows: readonly Row[], { problems, warnings }: Findings): Map<string, GivenValue> {
  const known = rows.map(({ key }) => key as string)
  const given = new Map<string, GivenValue>()
  for (const { key, value, startingLineNumber } of readProperties(join(folder, settingsFile), problems)) {
    const source = `${settingsFile}, line ${startingLineNumber}`
    if (rows.some((row) => row.key === key && row.isNeverInProject)) {
      const variable = variableOf(key)
      const message = `must not be in the project. Remove it from the file, create another key, and set ${variable}, ${variable}_FILE or the systemd credential ${key} (${source})`
      problems.push({ path: key, message })
    } else if (known.includes(key)) {
      if (given.has(key)) warnings.push({ path: key, message: `is set twice; the last one counts (${source})` })
      given.set(key, { value, source })
    } else if (isMisspelled(key, known)) {
      problems.push({ path: key, message: `is not a setting${suggest(key, known)} (${source})` })
    } else {
      warnings.push({ path: key, message: `is not a setting of the gateway, and is ignored (${source})` })
    }
  }
  return given
}

/**
 * A key with a few wrong letters, or with a prefix that the original does not use; any other unknown key belongs to the
 * original.
 */
function isMisspelled(key: string, known: readonly string[]): boolean {
  const [, group] = /^ig\.(\w+)\./.exec(key) ?? []
  const isOwn =
    !/^(?:log|messageLog|errorLog)$/.test(group ?? '') && known.some((each) => each.startsWith(`ig.${group}.`))
  return isOwn || findNearest(key, known, key.length < 12 ? 2 : 3) !== undefined
}

function readProperties(path: string, problems: Problem[]): readonly PropertyNode[] {
  try {
    return new Properties(readFileSync(path)).getProperties()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') problems.push({ path: settingsFile, message: `cannot be read: ${message}` })
    return []
  }
}

/** Other programs share the environment: an unknown variable that looks like a setting is a warning, never an error. */
function readEnvironment(environment: Environment, rows: readonly Row[], warnings: Problem[]): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>()
  const keys = new Map(rows.map(({ key }) => [variableOf(key), key as string]))
  for (const [variable, value] of Object.entries(environment)) {
    const key = keys.get(variable)
    if (key !== undefined && value !== undefined) given.set(key, { value, source: variable })
    else if (variable.startsWith('IG_') && !isForeign(variable) && !isOfSecrets(variable, rows)) {
      const nearest = findNearest(variable, keys.keys())
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`
      warnings.push({ path: variable, message: `is not the variable of a setting, and is ignored${hint}` })
    }
  }
  return given
}

/** Read by the command line; `IG_TEST_…` belongs to the tests. */
function isForeign(variable: string): boolean {
  return /^IG_(?:DEBUG$|ADMIN_TOKEN(?:_FILE)?$|COMPARE_|HEALTHCHECK_|TEST_)/.test(variable)
}
