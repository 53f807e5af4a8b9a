/**
 * `npm run docs:words`: the words of the documents by folder, without generated tables. Words in fenced examples are
 * counted separately, because tests run the examples and a reader copies them.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printTable } from '../../src/terminal/print.ts'

const root = join(import.meta.dirname, '../..')
const exclude = ['**/node_modules', '**/dist']
const files = globSync(['*.md', '{bench,create,docs,examples,src}/**/*.md'], { cwd: root, exclude }).sort()
const counts = files.map((file) => {
  const text = readFileSync(join(root, file), 'utf8').replace(/<!-- generated: [\s\S]*?<!-- end -->/g, '')
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, '')
  return { folder: folderOf(file), words: countWords(prose), examples: countWords(text) - countWords(prose) }
})

const folders = [...Map.groupBy(counts, ({ folder }) => folder), ['all', counts] as const]
const rows = folders.map(([folder, list]) => {
  const sumOf = (count: 'words' | 'examples') => list.reduce((sum, each) => sum + each[count], 0)
  return [folder, list.length, sumOf('words'), sumOf('examples')]
})
const head = ['FOLDER', 'DOCUMENTS', 'WORDS', 'IN EXAMPLES']
printTable(
  [head, ...rows].map((row) => {
    return row.map((cell, at) => (at === 0 ? `${cell}` : cell.toLocaleString('en').padStart(head[at]?.length ?? 0)))
  }),
)

/** The folders of features and of examples count as one each, and a document of the top folder by itself. */
function folderOf(file: string): string {
  const [, folder = file] = /^(src\/features|examples|.*(?=\/))\b/.exec(file) ?? []
  return folder
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
