/** The version of this package. */
import { readFileSync } from 'node:fs'
import { packageFolder } from '../base/package-files.ts'

export function packageVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
