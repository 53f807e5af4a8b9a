/** The search finds a setting and a refusal by name, as it finds a heading: the row has an anchor and an entry of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

const root = join(import.meta.dirname, '../..')
const pagesOfRows = new Set(['reference/settings.md', 'reference/refusals.md'])

/** Gives each row the code in its first cell as its id. */
export function nameRows(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('name-rows', ({ tokens, env }) => {
    if (!pagesOfRows.has(env.relativePath)) return
    for (const [at, token] of tokens.entries()) {
      const [code] = tokens[at + 2]?.children ?? []
      if (token.type === 'tr_open' && code?.type === 'code_inline') token.attrSet('id', code.content)
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
  return html.replace(/<tr id="([^"]+)"/g, '<h6>$1 <a href="#$1"></a></h6>$&')
}
