/**
 * A plugin of rolldown that writes files of ASCII alone: V8 keeps a source with one letter beyond Latin-1 at two bytes for
 * each of its letters.
 */
import type { Plugin } from 'rolldown'

export const asAscii: Plugin = {
  name: 'as-ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escapeUnit)
  },
}

/** Half of a surrogate pair at a time, in a string as in a pattern. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
