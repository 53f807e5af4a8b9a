/** The documentation site (specification 39): the pages of docs/, which administration serves at /docs/. */
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { breakLines, keepLinksWithin, slugify } from './links.ts'
import { linkFiles, stylesToClasses, writeFiles } from './outside-html.ts'
import { readSidebar } from './sidebar.ts'

const root = join(import.meta.dirname, '../..')
const pages = join(root, 'docs')
const base = '/docs/'

export default defineConfig({
  base,
  srcDir: pages,
  outDir: join(root, 'site/dist'),
  cacheDir: join(root, 'node_modules/.cache/site'),
  title: 'Integration Gateway',
  appearance: { disableTransition: false }, // it would add a style element
  description: 'Documentation of the integration gateway',
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  metaChunk: true,
  markdown: {
    html: false, // `<name>` in a text is no element
    anchor: { slugify },
    codeTransformers: [stylesToClasses],
    config(markdown) {
      breakLines(markdown)
      keepLinksWithin(markdown, pages)
    },
  },
  themeConfig: { search: { provider: 'local' }, sidebar: readSidebar(pages), outline: [2, 3] },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 } },
  transformHtml: (html) => linkFiles(html, base),
  buildEnd: ({ outDir }) => writeFiles(outDir),
})
