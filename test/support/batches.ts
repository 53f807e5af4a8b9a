/** Test files that share a process: most take less processor time than loading the gateway does. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Group {
  readonly name: string
  readonly files: RegExp
  /** Of processes; otherwise as many as run at a time. */
  readonly most?: number
}

/**
 * In the order in which they begin: first what takes longest and cannot be divided, so that none of it runs alone at the end.
 * Files of no group start processes and load little; they begin after these, one each.
 */
const groups: readonly Group[] = [
  { name: 'package', files: /^test\/project\/(?:new|package)\./, most: 1 },
  { name: 'workers', files: /^test\/cli\/workers\./ },
  { name: 'dev', files: /^test\/cli\/dev\./ },
  { name: 'console', files: /^test\/console\// },
  { name: 'store', files: /^test\/store\// },
  { name: 'wire', files: /^test\/wire\/(?!edge-costs|handlers(?:-examples)?\.)/ },
  { name: 'unit', files: /^test\/unit\/(?!large-body-heap|spool)/ }, // these, as those of the wire, look at their whole process
]

const root = join(import.meta.dirname, '../..')

/**
 * @param folder where they are written
 * @param count for each folder of tests
 * @returns the files to run: those that share no process, and batches that import the others
 */
export function writeBatches(folder: string, files: readonly string[], count: number): readonly string[] {
  const batches = new Map<string, string[]>()
  for (const [at, group] of groups.entries()) {
    for (const [index, file] of files.filter((each) => group.files.test(each)).entries()) {
      const name = `${at}-${group.name}-${(index % (group.most ?? count)) + 1}.test.mjs`
      batches.set(name, [...(batches.get(name) ?? []), file])
    }
  }
  for (const [name, members] of batches) {
    const imports = members.map((file) => `import ${JSON.stringify(pathToFileURL(join(root, file)).href)}\n`)
    writeFileSync(join(folder, name), imports.join(''))
  }
  const rest = files.filter((file) => !groups.some((group) => group.files.test(file)))
  return [...rest, ...[...batches.keys()].map((name) => join(folder, name))]
}
