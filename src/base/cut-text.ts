/** Cuts a text for the log, because each reader of the log searches all of it for secrets (specification 8.7). */

/** Characters. */
export const maxText = 12 * 1024

export function cutText(text: string, longest = maxText): string {
  if (text.length <= longest) return text
  const end = Math.max(text.lastIndexOf(' ', longest - 50), longest - 1000, 0) // half a secret would not be recognized
  return `${text.slice(0, end)}… (${text.length} characters)`
}
