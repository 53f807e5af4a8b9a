/** Cuts a text for the log, because each reader of the log searches all of it for secrets (specification 8.7). */

/** Characters. */
export const maxText = 12 * 1024

export function cutText(text: string, maxLength = maxText): string {
  if (text.length <= maxLength) return text
  const end = Math.max(text.lastIndexOf(' ', maxLength - 50), maxLength - 1000, 0) // half a secret would not be recognized
  return `${text.slice(0, end)}… (${text.length} characters)`
}
