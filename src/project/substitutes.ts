/** The classes that features make for operations, instead of classes of the project, and what these features check. */

import type { Configuration } from '../configuration/configuration.ts'
import type { Handlers } from '../configuration/list-references.ts'
import { mergeContributions } from '../features.ts'
import type { Problem } from '../model/problem.ts'
import type { Substitute } from '../model/substitute.ts'
import type { Settings } from '../settings.ts'
import type { Databases } from '../store/feature-tables.ts'
import type { ComparedOperation } from './report-adoption.ts'

export interface SubstituteRow {
  /** What the adoption report calls the state of operations with such a class. */
  readonly words: string
  /** Its classes pass calls on as they came: no body is read before, no answer is cached or kept. */
  readonly forwards?: boolean
  readonly load: () => Promise<Substitutes>
}

export interface Substitutes {
  /** Makes the classes, by the `handlerKeyOf` of their operations. */
  make(configuration: Configuration, options: SubstituteOptions): Iterable<readonly [key: string, Substitute]>
  /** Errors of the project's files; the definition may be invalid in any way. @param folder undefined: there is none */
  checkFiles?(folder: string | undefined, definition: unknown): Promise<readonly Problem[]>
  /** What a draft may not add to the active configuration. */
  checkDraft?(configuration: Configuration, active: Configuration, settings: Settings): readonly Problem[]
  /** Comparisons with answers of the original, for the adoption report. */
  openComparisons?(databases: Databases): Comparisons
}

export interface SubstituteOptions {
  /** The project's folder, whose files are checked; undefined: there is none. */
  readonly folder: string | undefined
  /** For the call of a draft, which leaves nothing behind. */
  readonly isTrial?: boolean
}

interface Comparisons {
  list(): Promise<readonly ComparedOperation[]>
}

/** The handlers, plus the substitutes of a configuration. */
export async function withSubstitutes(
  handlers: Handlers,
  configuration: Configuration,
  options: SubstituteOptions,
): Promise<Handlers> {
  const made = (await loadSubstitutes()).flatMap(({ make }) => [...make(configuration, options)])
  return made.length > 0 ? new Map([...handlers, ...made]) : handlers
}

export async function checkFiles(folder: string | undefined, definition: unknown): Promise<readonly Problem[]> {
  const checked = (await loadSubstitutes()).map((each) => each.checkFiles?.(folder, definition) ?? [])
  return (await Promise.all(checked)).flat()
}

export async function checkDraft(
  ...draft: Parameters<NonNullable<Substitutes['checkDraft']>>
): Promise<readonly Problem[]> {
  return (await loadSubstitutes()).flatMap((each) => each.checkDraft?.(...draft) ?? [])
}

/** @param rows opens rows from the databases of a store */
export async function listComparisons(databases: Databases): Promise<readonly ComparedOperation[]> {
  const opened = (await loadSubstitutes()).flatMap(({ openComparisons }) => openComparisons ?? [])
  return (await Promise.all(opened.map((open) => open(databases).list()))).flat()
}

function loadSubstitutes(): Promise<readonly Substitutes[]> {
  return Promise.all(Object.values<SubstituteRow>(mergeContributions('substitutes')).map(({ load }) => load()))
}
