/** Test files that share a process: most take less processor time than loading the gateway does. Each process is made lighter. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Group {
  readonly name: string
  readonly files: RegExp
  /** Of processes; otherwise as many as there are cores. */
  readonly max?: number
  /** For other processes, sockets or time, as often as not: so many for each core run at a time. */
  readonly waits?: number
}

/**
 * In the order in which they begin: what waits for much and takes long first, what only computes last, so that both cores
 * are busy to the end. Files of no group look at their whole process or leave something in it, or take long for
 * themselves; they begin after these, one each.
 */
const groups: readonly Group[] = [
  { name: 'console', files: /^test\/console\//, waits: 2 },
  { name: 'package', files: /^test\/project\/(?:new|package)\./, max: 1 },
  { name: 'workers', files: /^test\/cli\/workers\./, waits: 2 },
  { name: 'dev', files: /^test\/cli\/dev\./, waits: 2 },
  { name: 'ordeals', files: /^test\/cli\/ordeal-/, waits: 2 },
  { name: 'cli', files: /^test\/cli\/(?!handler-settings)/, waits: 2 },
  { name: 'proxies', files: /^test\/project\/proxies\./ },
  { name: 'guide', files: /^test\/project\/guide\./ },
  { name: 'project', files: /^test\/project\/(?!runner|handlers-examples)/ },
  { name: 'store', files: /^test\/store\//, waits: 2 },
  { name: 'wire', files: /^test\/wire\/(?!edge-costs|handlers\.)/, waits: 3 },
  { name: 'unit', files: /^test\/unit\/(?!spool)/ },
]

const root = join(import.meta.dirname, '../..')

/**
 * @param folder where they are written
 * @returns the files to run: batches that import those of the tests, some of them one only
 */
export function writeBatches(folder: string, files: readonly string[], cores: number): readonly string[] {
  const batches = new Map<string, string[]>()
  const add = (name: string, file: string) => batches.set(name, [...(batches.get(name) ?? []), file])
  let left = files
  for (const [at, group] of groups.entries()) {
    const members = left.filter((each) => group.files.test(each))
    const max = group.max ?? (group.waits ?? 1) * cores
    left = left.filter((each) => !members.includes(each))
    for (const [index, file] of members.entries()) add(`${at + 10}-${group.name}-${(index % max) + 1}`, file)
  }
  for (const file of left) add(`own-${file.replaceAll(/\W/g, '-')}`, file)
  return [...batches].map(([name, members]) => {
    const batch = join(folder, `${name}.test.mjs`)
    const imports = ['test/support/lighter-process.ts', ...members].map(
      (file) => `import ${JSON.stringify(pathToFileURL(resolve(root, file)).href)}\n`,
    )
    writeFileSync(batch, imports.join(''))
    return batch
  })
}
