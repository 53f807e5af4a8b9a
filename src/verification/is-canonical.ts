/** A decoder accepts several texts for the same signature of a JWT; header and claims are signed as text. */
export function isCanonical(token: string): boolean {
  const signature = token.slice(token.lastIndexOf('.') + 1)
  return Buffer.from(signature, 'base64url').toString('base64url') === signature
}
