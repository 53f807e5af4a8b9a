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

/** A cell of a CSV file that is only read (RFC 4180). */
export function writeCell(value: string | number | boolean | null | undefined): string {
  if (typeof value !== 'string') return String(value ?? '')
  // Where the separator is another, each part of the text becomes a cell
  const text = guard(value).replaceAll(/(?<=[;\t\r\n])(?=[=+\-@＝＋－＠])/g, "'")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Excel reads UTF-8 only with it. */
export const byteOrderMark = '\uFEFF'
