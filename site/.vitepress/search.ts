/** The search finds settings, refusals and paragraphs by name, as it finds headings: each has an anchor and an entry of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

const root = join(import.meta.dirname, '../..')
const pagesOfRows = new Set(['reference/settings.md', 'reference/refusals.md'])

/** Gives each row the code in its first cell as its id, and each paragraph of the specification its number. */
export function nameRows(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('name-rows', ({ tokens, env }) => {
    for (const [at, token] of tokens.entries()) {
      const [code] = tokens[at + 2]?.children ?? []
      const isRow = token.type === 'tr_open' && pagesOfRows.has(env.relativePath)
      if (isRow && code?.type === 'code_inline') token.attrSet('id', code.content)
      const [, number] = /^\*\*(\d+\.\d+)\*\* /.exec(tokens[at + 1]?.content ?? '') ?? []
      if (token.type === 'paragraph_open' && number) token.attrSet('id', number)
    }
  })
}

/** The index has an entry for each heading; the chapter of a feature is not in the folder of the pages. */
export async function renderForSearch(
  source: string,
  env: { relativePath: string },
  markdown: MarkdownRenderer,
): Promise<string> {
  const [, feature] = /^reference\/features\/([\w-]+)\.md$/.exec(env.relativePath) ?? []
  const text = feature ? readFileSync(join(root, 'src/features', feature, 'README.md'), 'utf8') : source
  const html = await markdown.renderAsync(text, env)
  return html.replace(/<(?:tr|p) id="([^"]+)"/g, '<h6>$1 <a href="#$1"></a></h6>$&')
}

/**
 * For MiniSearch, in the build and in the browser, which gets the text of these functions: they use nothing of this file.
 * `titles` are those above the heading.
 */
export const miniSearch = {
  options: { tokenize },
  searchOptions: { boost: { title: 4, text: 1, titles: 0.2 }, boostDocument },
}

/** `3.24`, `D-1300` and `session-token` are one word each: `token` finds the last only in a text. */
function tokenize(text: string, field?: string): string[] {
  const words = text.match(/\d+(?:\.\d+)+|[^\p{Z}\p{P}\n\r]+(?:-[^\p{Z}\p{P}\n\r]+)*/gu) ?? []
  return field === 'text' ? words.flatMap((word) => (word.includes('-') ? [word, ...word.split('-')] : word)) : words
}

/** Guides come before references, commands first with `ig`, and decisions last, but by their number. @param id the address of an entry */
function boostDocument(id: string, term: string): number {
  if (id.includes('/explanation/decisions/')) return /^d-\d+$/.test(term) ? 1 : 0.001
  if (id.includes('/reference/verbs')) return term === 'ig' ? 1.5 : 0.3
  return id.includes('/reference/') ? 0.5 : 1
}
