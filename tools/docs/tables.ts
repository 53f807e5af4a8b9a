/** The tables of the documentation that are generated from tables of the code, each between `<!-- generated: … -->` and `<!-- end -->`. */
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { events } from '../../src/features.ts'
import { type RefusalForm, type RefusalRow, refusalTable } from '../../src/model/refusal.ts'
import { describeSettings, logLevels } from '../../src/settings.ts'
import { listCommands, pathOf } from '../../src/terminal/commands.ts'
import { writeAlerts } from './alerts.ts'
import { writeConfiguration } from './configuration.ts'
import { writeSdk } from './sdk.ts'
import { code, writeTable } from './write-table.ts'

const writers: Readonly<Record<string, () => string | Promise<string>>> = {
  alerts: writeAlerts,
  configuration: writeConfiguration,
  refusals: writeRefusals,
  sdk: () => writeSdk(),
  settings: writeSettings,
  verbs: writeVerbs,
  events: writeEvents,
}

/** A document with each generated region as the code has it now. */
export async function fillRegions(document: string): Promise<string> {
  const written = new Map<string, string>()
  for (const name of listRegions(document)) {
    const write = writers[name]
    if (!write) throw new Error(`nothing generates ${name}: see tools/docs/tables.ts`)
    written.set(name, await write())
  }
  return document.replace(region, (_, name: string) => {
    return `<!-- generated: ${name} -->\n\n${written.get(name)}\n\n<!-- end -->`
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

function writeRefusals(): string {
  const answer = ({ status, statusWithAllow, body }: RefusalForm) => {
    const bodies = { empty: 'no body', page: 'HTML page', problem: 'problem details' }
    const orElse = statusWithAllow === undefined ? '' : `, or ${statusWithAllow} with \`Allow\``
    return `${status}${orElse}, ${bodies[body]}`
  }
  const rows = Object.entries<RefusalRow>(refusalTable).map(([name, { observed, standard, meaning }]) => {
    const isSame = answer(observed) === answer(standard)
    return [code(name), meaning, answer(observed), isSame ? 'the same' : answer(standard)]
  })
  return writeTable(['code', 'meaning', 'observed', 'standard'], rows)
}

function writeEvents(): string {
  const rows = Object.entries(events).map(([name, { means, data = [] }]) => {
    return [code(name), means, data.map(code).join(', ')]
  })
  return writeTable(['event', 'meaning', '`data`'], rows)
}

/** Every command with its help, as a terminal of 80 columns shows it. */
async function writeVerbs(): Promise<string> {
  let help = ''
  const stdout = { write: (text: string) => (help += text) }
  const program = await openProgram({ stdout, stderr: stdout, env: {} } as never, Object.keys(verbs))
  const shown = Object.entries(verbs).filter(([, { isHidden }]) => !isHidden)
  const rows = shown.map(([name, { summary }]) => [`[\`ig ${name}\`](#ig-${name})`, summary])
  const sections = shown.map(([name]) => {
    const command = program.commands.find((each) => each.name() === name)
    const commands = listCommands(command ?? program).filter((each) => each.name() !== 'help')
    const texts = commands.map((each) => {
      help = ''
      each.outputHelp()
      return `${each === command ? '##' : '###'} ${pathOf(each)}\n\n\`\`\`text\n${help.trim()}\n\`\`\``
    })
    return texts.join('\n\n')
  })
  return [writeTable(['command', 'does'], rows), ...sections].join('\n\n')
}
