/** Output of `ig dev` besides the log: the welcome once, then one line for each change (specification 14.1, 14.5). */
import type { Settings } from '../../settings.ts'
import { colours, print, report, reportFailure, show, warn } from '../../terminal/print.ts'
import type { DeveloperReport } from './reloader.ts'
import type { ReadyMessage } from './server-messages.ts'

export function reportToDeveloper({ port }: Settings): DeveloperReport {
  const { dim, bold } = colours()
  let warned = ''
  const reportWarnings = ({ warnings }: ReadyMessage) => {
    const text = warnings.join('\n')
    if (text !== warned) for (const warning of warnings) warn(warning)
    warned = text
  }
  return {
    started(ready) {
      reportWarnings(ready)
      process.stdout.write(`${ready.welcome}\n`)
    },
    reloaded({ files, milliseconds, ready, before }) {
      reportWarnings(ready)
      const what = files.length > 0 ? `: ${listFiles(files)}` : ''
      const added = ready.operations.filter((name) => !before.operations.includes(name))
      const removed = before.operations.filter((name) => !ready.operations.includes(name))
      const changes = [...added.map((name) => `+ ${show(name)}`), ...removed.map((name) => `- ${show(name)}`)]
      const head = files.length > 0 ? 'Reloaded' : 'Serving again'
      print(`${bold(head)} ${dim(`in ${Math.round(milliseconds)} ms${what}`)}`)
      for (const change of changes) print(`  ${change}`)
      if (ready.port !== port) warn(`ig.port is now ${ready.port}: the port opens at start. Restart ig dev.`)
    },
    failed(text, { isServing, canBeFixed }) {
      const rest = isServing ? 'The previous version is still served.' : 'Nothing is served until the errors are fixed.'
      reportFailure(text)
      if (canBeFixed) report(`${rest} Waiting for a file to change; Ctrl-C stops.`)
    },
    slow(files, isServing) {
      // At start the machine is the likely cause; after a change, the changed code
      const [what, why] =
        files.length > 0
          ? [listFiles(files), 'if this lasts, its code waits for something or loops']
          : ['the project', 'on a busy machine this takes a moment']
      const rest = isServing ? 'The previous version is still served.' : 'Nothing is served until it is loaded.'
      process.stderr.write(`Still loading ${what}: ${why}. ${rest}\n`)
    },
    restarting(how) {
      reportFailure(`ig: The serving process ${how}. Restarting it.`)
    },
  }
}

function listFiles(files: readonly string[]): string {
  const shown = files.slice(0, 3).map(show).join(', ')
  return files.length > 3 ? `${shown} and ${files.length - 3} more` : shown
}
