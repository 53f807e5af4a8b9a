/** The documentation site (specification 39): the pages of docs/, which administration serves at /docs/. */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { copyCommands } from './copy-commands.ts'
import { findEditBase } from './edit-base.ts'
import { home } from './home.ts'
import { dropComments, keepLinksWithin, markPictures, slugify } from './links.ts'
import { writeMarkdown } from './markdown.ts'
import { linkFiles, stylesToClasses, writeFiles } from './outside-html.ts'
import { miniSearch, nameRows, renderForSearch } from './search.ts'
import { readSidebar } from './sidebar.ts'
import { breakLongWords, labelCells } from './tables.ts'

const root = join(import.meta.dirname, '../..')
const pages = join(root, 'docs')
const base = '/docs/'
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const editBase = findEditBase(root)

export default defineConfig({
  base,
  cleanUrls: true,
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
    codeTransformers: [stylesToClasses, copyCommands],
    config(markdown) {
      dropComments(markdown)
      keepLinksWithin(markdown, pages)
      nameRows(markdown)
      markPictures(markdown)
      labelCells(markdown)
      breakLongWords(markdown)
    },
  },
  transformPageData({ relativePath, params }) {
    if (relativePath === 'index.md') return { frontmatter: home }
    // The chapter of a feature: the path is for its edit link
    if (params) return { filePath: `../src/features/${params.name}/README.md` }
  },
  themeConfig: {
    logo: '/icon.svg',
    siteTitle: `Integration Gateway <small>${version}</small>`,
    search: { provider: 'local', options: { _render: renderForSearch, miniSearch } },
    sidebar: readSidebar(pages),
    outline: [2, 3],
    notFound: {
      title: 'There is no such page',
      quote: 'Search for it, or choose it from the list of all pages.',
      linkText: 'All pages',
      linkLabel: 'All pages',
    },
    ...(editBase && { editLink: { pattern: `${editBase}/docs/:path`, text: 'Edit this page' } }),
  },
  vite: { build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 5000 } },
  transformHtml: (html) => linkFiles(html, base),
  buildEnd({ outDir }) {
    writeFiles(outDir)
    writeMarkdown(root, outDir)
    copyFileSync(join(root, 'console/src/icon.svg'), join(outDir, 'icon.svg'))
  },
})
