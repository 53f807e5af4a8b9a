/** The tables of the documentation that are generated from tables of the code, each between `<!-- generated: … -->` and `<!-- end -->`. */
import { describeSettings, logLevels } from '../../src/settings.ts'
import { writeConfiguration } from './configuration.ts'
import { code, writeTable } from './write-table.ts'

const writers: Readonly<Record<string, () => string>> = {
  configuration: writeConfiguration,
  settings: writeSettings,
}

/** A document with each generated region as the code has it now. */
export function fillRegions(document: string): string {
  return document.replace(region, (_, name: string) => {
    const write = writers[name]
    if (!write) throw new Error(`nothing generates ${name}: see tools/docs/tables.ts`)
    return `<!-- generated: ${name} -->\n\n${write()}\n\n<!-- end -->`
  })
}

export function listRegions(document: string): readonly string[] {
  return [...document.matchAll(region)].map(([, name = '']) => name)
}

export const names = Object.keys(writers)

const region = /<!-- generated: ([\w-]+) -->[\s\S]*?<!-- end -->/g

function writeSettings(): string {
  const groups = [...Map.groupBy(describeSettings(), ({ group }) => group)].map(([group, settings]) => {
    const rows = settings.map(({ key, fallback = '', values, help, see }) => {
      const shown = key === 'ig.toolsRelease' ? '' : fallback // else every release would change the document
      return [code(key), code(shown), values, see === undefined ? help : `${help} (${see})`]
    })
    return `## ${group}\n\n${writeTable(['key', 'default', 'values', 'meaning'], rows)}`
  })
  const levels = logLevels.map(([level, adds]) => [String(level), adds])
  return [...groups, `## Log levels\n\n${writeTable(['level', 'adds'], levels)}`].join('\n\n')
}
