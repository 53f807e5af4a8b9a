/** The line of a project's own code in a stack. */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFolder } from './package-files.ts'

/** The first line that belongs neither to the runtime, nor to a library, nor to the gateway: `handlers/hr.ts:5`. */
export function findForeignLine(stack: string): string | undefined {
  for (const [, place, line] of stack.matchAll(/(?:\(|at (?:async )?)((?:file:\/\/)?\/[^()\n]*):(\d+):\d+\)?$/gm)) {
    if (place === undefined) continue
    const file = place.startsWith('file:') ? fileURLToPath(place) : place
    if (file.startsWith(gatewayFolder) || file.includes('/node_modules/')) continue
    return `${relative(process.cwd(), file)}:${line}`
  }
  return undefined
}

const gatewayFolder = fileURLToPath(codeFolder)
