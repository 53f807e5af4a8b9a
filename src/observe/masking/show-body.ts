/** The first part of a body for display: text, free of secrets (specification 8.7, 21.2). */
/** @param size of the whole body @param mask removes the secrets */
export function showBody(
  bytes: Buffer | undefined,
  size: number,
  maxBytes: number,
  mask: (text: string) => string,
): string {
  if (!bytes || bytes.length === 0) return ''
  const part = bytes.subarray(0, maxBytes)
  const decoded = decode(part)
  if (binary.test(decoded)) return `(${size || bytes.length} bytes, not text)`
  const text = mask(decoded)
  const rest = Math.max(0, (size || bytes.length) - part.length)
  return rest === 0 ? text : `${text}\n… (${rest} more bytes)`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const binary = /[\u0000-\u0008\u000e-\u001f]/

/** UTF-16 as well: a password must not hide between zero bytes. */
function decode(bytes: Buffer): string {
  const [first, second] = bytes
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0)
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
  return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8').decode(bytes)
}
