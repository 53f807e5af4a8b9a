/** The environment variable of a setting. */
export function variableOf(key: string): string {
  return key.toUpperCase().replaceAll('.', '_')
}
