/**
 * The pages as Markdown, beside their HTML, for readers in an editor (specification 39.1). `llms.txt` lists them with what
 * they contain, `llms-full.txt` has them all.
 */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { readSidebar, type SidebarItem } from './sidebar.ts'

interface Page {
  /** In the repository. */
  readonly file: string
  /** In the site. */
  readonly path: string
  readonly text: string
}

/** @param root of the repository @param to folder of the built site */
export function writeMarkdown(root: string, to: string): void {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const pages = globSync(['docs/**/*.md', 'src/features/*/README.md'], { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !file.includes('['))
    .map((file) => ({ file, path: pathOf(file), text: read(file) }))
  const paths = new Map(pages.map(({ file, path }) => [file, path]))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    writeFileSync(join(to, path), text)
  }
  for (const page of pages) write(page.path, withoutRepository(page, paths, posix.dirname(page.path)))

  const sections = listSections(readSidebar(join(root, 'docs')), pages)
  const [, introduction = ''] = /^# .*\n\n([\s\S]*?)\n\n/.exec(read('README.md')) ?? []
  write('llms.txt', listPages(sections, introduction, readDescriptions(read('docs/README.md'))))
  const texts = sections
    .flatMap((section) => section.pages)
    .map((page) => `<!-- ${page.path} -->\n\n${withoutRepository(page, paths, '.')}`)
  write('llms-full.txt', texts.join('\n'))
}

function pathOf(file: string): string {
  return file
    .replace(/^src\/features\/([\w-]+)\/README\.md$/, 'docs/reference/features/$1.md')
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md')
}

/**
 * Links lead to Markdown of the site; what is only in the repository is named instead. Without marks for tools and pictures.
 * @param from folder that links start from
 */
function withoutRepository({ file, text }: Page, paths: ReadonlyMap<string, string>, from: string): string {
  return text.replace(codeOrLink, (whole, _, picture, words, href, anchor = '') => {
    if (whole.startsWith('<!--')) return ''
    if (words === undefined || /^\w+:/.test(href)) return whole
    if (picture === '!') return `(Picture: ${words})`
    const target = href === '' ? file : posix.join(posix.dirname(file), href)
    const path = paths.get(target)
    if (path !== undefined)
      return `[${words}](${href === '' && from !== '.' ? '' : posix.relative(from, path)}${anchor})`
    return words.replaceAll('`', '') === target ? `\`${target}\`` : `${words} (\`${target}\`)`
  })
}

const codeOrLink = /^( *)```[\s\S]*?^\1```$|`[^`\n]*`|^<!-- .* -->\n+|(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)/gm

/** As the sidebar has them, but the decisions last. */
function listSections(sidebar: readonly SidebarItem[], pages: readonly Page[]) {
  const links = (item: SidebarItem): readonly string[] => [item.link ?? '', ...(item.items ?? []).flatMap(links)]
  const groups = sidebar.map((group) => ({
    title: group.text,
    pages: links(group).flatMap((link) => pages.find(({ path }) => path === toPath(link)) ?? []),
  }))
  const isDecision = ({ path }: Page) => path.startsWith('explanation/decisions/')
  const decisions = groups.flatMap((group) => group.pages.filter(isDecision))
  const others = groups.map(({ title, pages: listed }) => ({
    title,
    pages: listed.filter((page) => !isDecision(page)),
  }))
  return [...others, { title: 'Decisions', pages: decisions }]
}

function listPages(
  sections: ReturnType<typeof listSections>,
  introduction: string,
  descriptions: ReadonlyMap<string, string>,
): string {
  const quote = introduction.replace(/^/gm, '> ')
  const head = `# Integration Gateway\n\n${quote}\n\nAll pages in one file: [llms-full.txt](llms-full.txt).\n`
  const lists = sections.map(({ title, pages }) => {
    const rows = pages.map((page) => {
      return `- [${titleOf(page.text)}](${page.path}): ${descriptions.get(page.path) ?? describeContent(page)}\n`
    })
    return `## ${title}\n\n${rows.join('')}`
  })
  return [head, ...lists].join('\n')
}

function toPath(link: string): string {
  return `${link.slice(1)}${link.endsWith('/') ? 'index' : ''}.md`
}

/** What the start page says of a page, by its path. */
function readDescriptions(start: string): ReadonlyMap<string, string> {
  const rows = start.matchAll(/^- \[[^\]]*\]\(([^)]*)\): ([^[]*?)$(?=\n- |\n\n|\n*(?![\s\S]))/gm)
  return new Map([...rows].map(([, file = '', text = '']) => [pathOf(file), text.replace(/\s+/g, ' ')]))
}

/** The first sentence of a feature, which says what it does; the headings of another page, if it has some. */
function describeContent({ file, text }: Page): string {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '')
  const headings = [...prose.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  const [, sentence = ''] = /^# .*\n\n([\s\S]*?)\.\s/.exec(prose) ?? []
  const isFeature = file.startsWith('src/features/')
  return (isFeature ? '' : headings.join('; ')) || sentence.replaceAll('\n', ' ')
}

function titleOf(text: string): string {
  return /^# (.*)$/m.exec(text)?.[1] ?? ''
}
