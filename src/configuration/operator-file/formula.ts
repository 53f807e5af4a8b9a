/**
 * A spreadsheet runs a cell that begins with one of these as a formula: an apostrophe before it makes it text
 * (specification 37.2). Reading takes away the one that writing added.
 */
export function guard(cell: string): string {
  return /^'*[=+\-@＝＋－＠\t\r\n]/.test(cell) ? `'${cell}` : cell
}

export function unguard(cell: string): string {
  return /^'+[=+\-@＝＋－＠\t\r\n]/.test(cell) ? cell.slice(1) : cell
}
