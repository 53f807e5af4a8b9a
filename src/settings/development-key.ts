/** The key that `ig dev` makes where `ig.secretKey` is not set; `ig start` never reads it (specification 8.9). */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SecretKey } from '../base/secret-key.ts'

const fileIn = (folder: string) => join(folder, 'data/development-secret-key')

export function makeDevelopmentKey(folder: string): void {
  const file = fileIn(folder)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
}

export function readDevelopmentKey(folder: string): SecretKey | undefined {
  const file = fileIn(folder)
  return existsSync(file) ? new SecretKey(readFileSync(file, 'utf8')) : undefined
}
