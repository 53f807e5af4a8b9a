/** Texts that no log and no error may show: the values of secret settings of handlers (specification 5.44). */

/** A shorter text is part of too many others. Characters. */
const shortest = 4
export const hidden = '[redacted]'

const texts = new Set<string>()
let pattern: RegExp | undefined

/** Also as JSON and URLs write it. A text of several lines is hidden line by line too: logs may indent them. */
export function addKnownSecret(text: string): void {
  for (const part of [text, ...text.split(/\r?\n/)]) {
    for (const form of [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part.toWellFormed())]) {
      if (form.trim().length >= shortest) texts.add(form.trim())
    }
  }
  const byLength = [...texts].sort((one, other) => other.length - one.length)
  pattern = byLength.length > 0 ? new RegExp(byLength.map(literal).join('|'), 'g') : undefined
}

export function hideKnownSecrets(text: string): string {
  return pattern ? text.replace(pattern, hidden) : text
}

/** The text as a pattern that matches exactly it. */
function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
