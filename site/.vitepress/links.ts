/** The pages as GitHub shows them: the same anchors, no comments, and plain text where a target is no page of the site; and pictures that scroll. */
import { dirname, resolve, sep } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** The anchor of a heading. */
export function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

/** Marks for tools, such as where a table is generated. */
export function dropComments(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('block', 'drop-comments', (state) => {
    state.src = state.src.replace(/^<!-- .* -->$/gm, '')
  })
}

/** The chapter of a feature is a page of the site too. */
function pageOfFeature(href: string): string {
  return href.replace(/^(?:\.\.\/)+src\/features\/([\w-]+)\/README\.md/, '/reference/features/$1')
}

/** @param folder of the pages; what is outside of it is only in the repository */
export function keepLinksWithin(markdown: MarkdownRenderer, folder: string): void {
  markdown.core.ruler.push('keep-links-within', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOutside = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const href = pageOfFeature(token.attrGet('href') ?? '')
          isOutside = !/^(?:[a-z]+:|#|\/)/i.test(href) && !resolve(dirname(env.path), href).startsWith(folder + sep)
          if (isOutside) token.attrs = [['title', `In the repository: ${href.replace(/^(?:\.\.\/)+/, '')}`]]
          else token.attrSet('href', href.replace(/(^|\/)README\.md(?=$|#)/, '$1index.md'))
        }
        if (isOutside && token.type.startsWith('link_')) token.tag = 'span'
      }
    }
  })
}

/** A picture is scrolled on a narrow screen, also by the keyboard. */
export function markPictures(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('mark-pictures', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      const [first] = tokens[at + 1]?.children ?? []
      if (token.type === 'paragraph_open' && first?.type === 'image')
        token.attrs = [
          ['class', 'picture'],
          ['tabindex', '0'],
        ]
    }
  })
}
