/** The documentation site (specification 39): the pages of docs/, which administration serves at /docs/. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { dropComments, keepLinksWithin, slugify } from './links.ts'
import { writeMarkdown } from './markdown.ts'
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
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  rewrites: (page) => page.replace(/(^|\/)README\.md$/, '$1index.md'),
  metaChunk: true,
  markdown: {
    html: false, // `<name>` in a text is no element
    anchor: { slugify },
    codeTransformers: [stylesToClasses],
    config(markdown) {
      dropComments(markdown)
      keepLinksWithin(markdown, pages)
    },
  },
  themeConfig: { logo: '/icon.svg', search: { provider: 'local' }, sidebar: readSidebar(pages), outline: [2, 3] },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 } },
  transformHtml: (html) => linkFiles(html, base),
  buildEnd({ outDir }) {
    writeFiles(outDir)
    writeMarkdown(root, outDir)
    copyFileSync(join(root, 'console/src/icon.svg'), join(outDir, 'icon.svg'))
  },
})
