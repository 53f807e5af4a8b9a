/** Whether the project's files differ from the revision that is served (specification 13.9, 14.9). */
import type { Catalog } from '../configuration/catalog.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { diffConfigurations } from '../configuration/diff-configurations.ts'

/** @returns undefined if they are equal */
export function describeDrift(
  { revision, configuration }: Catalog,
  files: Configuration,
  folder: string,
): string | undefined {
  const count = diffConfigurations(configuration, files).length
  if (count === 0) return undefined
  const places = count === 1 ? 'one place' : `${count} places`
  const argument = folder === '.' ? '' : ` ${folder}`
  return `the project's files differ from revision ${revision} in ${places}. Show them with ig drift${argument}; activate them with ig apply${argument}.`
}
