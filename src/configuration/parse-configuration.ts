/** Checks a configuration and fills in its defaults; reports all errors of an invalid one (specification 2.12). */
import { atOnce } from '../base/at-once.ts'
import { maxErrors, type Problem, sortProblems } from '../model/problem.ts'
import { checkSteps } from './check-configuration.ts'
import { type Configuration, configurationSchema, itemSchemas } from './configuration.ts'
import { readIssues } from './schema.ts'
import { withoutInvalid } from './unchecked-definition.ts'

export type ParsedConfiguration = { readonly configuration: Configuration } | { readonly problems: readonly Problem[] }

/** Refuses an invalid configuration with all of its errors. */
export function parseConfiguration(input: unknown): ParsedConfiguration {
  return atOnce(parseSteps(input))
}

/** The same, one step for each item, so that calls can run in between. */
export function* parseSteps(input: unknown): Generator<void, ParsedConfiguration> {
  const lists = Object.keys(itemSchemas).filter((list) => Array.isArray(itemsOf(input, list))) as ListName[]
  const result = configurationSchema.safeParse(lists.length > 0 ? { ...(input as object), ...emptied(lists) } : input)
  const issues = [...(result.error?.issues ?? [])]
  const parsed: Partial<Record<ListName, readonly unknown[]>> = {}
  for (const list of lists) {
    const items: unknown[] = []
    if (issues.length >= maxErrors) break
    for (const [index, item] of itemsOf(input, list).entries()) {
      const { data, error } = itemSchemas[list].safeParse(item)
      items.push(data)
      for (const issue of error?.issues ?? []) issues.push({ ...issue, path: [list, index, ...issue.path] })
      if (issues.length >= maxErrors) break
      yield
    }
    parsed[list] = Object.freeze(items)
  }
  const sound = issues.length < maxErrors ? withoutInvalid(input, issues) : undefined
  const single = readIssues(issues, input)
  yield
  const problems = sound ? [...single, ...(yield* checkSteps(sound, input))] : single
  if (problems.length >= maxErrors) return { problems: [...sortProblems(problems).slice(0, maxErrors), thereMayBeMore] }
  if (!result.success || problems.length > 0) return { problems: sortProblems(problems) }
  return { configuration: Object.freeze({ ...result.data, ...parsed }) as Configuration }
}

const thereMayBeMore = { path: 'configuration', message: `may have more errors: the search ends after ${maxErrors}` }

type ListName = keyof typeof itemSchemas

function itemsOf(input: unknown, list: string): readonly unknown[] {
  return (input as Readonly<Record<string, readonly unknown[]>> | null | undefined)?.[list] as readonly unknown[]
}

function emptied(lists: readonly ListName[]): Partial<Record<ListName, readonly []>> {
  return Object.fromEntries(lists.map((list) => [list, []]))
}
