/** Tables in Markdown. */

export function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n').replaceAll(/ {2,}\|/g, ' |')
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}
