/** The version of this package. */
import { readFileSync } from 'node:fs'
import { packageFolder } from '../base/own-files.ts'

export function ownVersion(): string {
  const text = readFileSync(new URL('package.json', packageFolder), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
