/** What a folder was built from, so that nothing is built twice. Kept in `built-from.json` of what was built. */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Builds, unless the same was built from the same sources.
 * @param {{ name: string, folder: string, sources: string[], build: () => Promise<unknown> }} what paths and patterns from
 * the checkout's root
 */
export async function buildOnce({ name, folder, sources, build }) {
  const mark = join(root, folder, 'built-from.json')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === JSON.stringify(digest(sources))) return
  console.log(`Building the ${name}…`)
  await build()
  writeFileSync(mark, JSON.stringify(digest(sources)))
}

function digest(sources) {
  const hash = createHash('sha256')
  for (const name of globSync(sources, { cwd: root }).sort()) {
    const file = join(root, name)
    if (statSync(file).isFile()) hash.update(name).update('\0').update(readFileSync(file))
  }
  return hash.digest('hex')
}
