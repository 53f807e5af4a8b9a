/** Test files that share a process: most take less processor time than loading the gateway does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Whose tests neither look at their whole process nor end it. Those of other folders start processes, and load little. */
const sharing = ['test/console/', 'test/store/', 'test/unit/', 'test/wire/']
const alone = [
  'test/unit/large-body-heap.test.ts',
  'test/unit/spool.test.ts',
  'test/wire/handlers.test.ts',
  'test/wire/handlers-examples.test.ts',
]

const root = join(import.meta.dirname, '../..')

/**
 * @param folder where they are written
 * @param count for each folder of tests
 * @returns the files to run: those that share no process, and batches that import the others
 */
export function writeBatches(folder: string, files: readonly string[], count: number): readonly string[] {
  const shared = files.filter((file) => !alone.includes(file) && sharing.some((start) => file.startsWith(start)))
  const rest = files.filter((file) => !shared.includes(file))
  const batches = new Map<string, string[]>()
  for (const start of sharing) {
    for (const [index, file] of shared.filter((each) => each.startsWith(start)).entries()) {
      const name = `${start.split('/')[1]}-${(index % count) + 1}.test.mjs`
      batches.set(name, [...(batches.get(name) ?? []), file])
    }
  }
  for (const [name, members] of batches) {
    const imports = members.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)}\n`)
    writeFileSync(join(folder, name), imports.join(''))
  }
  return [...rest, ...[...batches.keys()].map((name) => join(folder, name))]
}
