/** The documentation site as administration serves it (specification 39): each built page, and some in a real browser. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'site/dist')
const database = findDatabase('SQLite')
const pages = new Map(
  globSync('**/*.html', { cwd: dist }).map((name) => [name, readFileSync(join(dist, name), 'utf8')]),
)
const sources = globSync('**/*.md', { cwd: join(root, 'docs') })

test('39.1 the documentation is served without a session: pages that are never stored, files that are cached forever', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const get = (path: string) => ask(`GET ${path}`, { as: 'nobody', headers: { 'accept-encoding': 'gzip' } })
  assert.equal((await get('/docs')).headers.get('location'), '/docs/')
  const start = await get('/docs/')
  assert.equal(start.body, pages.get('index.html'))
  assert.deepEqual(
    ['content-type', 'content-encoding', 'cache-control'].map((name) => start.headers.get(name)),
    ['text/html; charset=utf-8', 'gzip', 'no-store'],
  )
  const [, script = ''] = /src="(\/docs\/assets\/app[^"]+\.js)"/.exec(pages.get('index.html') ?? '') ?? []
  const asset = await get(script)
  assert.deepEqual(
    ['content-type', 'cache-control'].map((name) => asset.headers.get(name)),
    ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
  )
  for (const path of ['/docs/none.html', '/docs/..%2F..%2Fpackage.json', '/docs/assets/', '/docs/built-from.json']) {
    const missing = await get(path)
    assert.deepEqual([missing.status, missing.body], [404, pages.get('404.html')], path)
  }
})

test('the sidebar has every page, and every link leads to a page and a heading', () => {
  const features = readdirSync(join(root, 'src/features')).map((name) => `reference/features/${name}.html`)
  const named = sources
    .filter((name) => !name.includes('['))
    .map((name) => name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))
    .concat(features)
  assert.deepEqual([...pages.keys()].sort(), [...named, '404.html'].sort())
  const sidebar = /<nav[^>]* id="VPSidebarNav"[\s\S]*?<\/nav>/.exec(pages.get('index.html') ?? '')?.[0] ?? ''
  const reached = new Set([...sidebar.matchAll(/href="\/docs\/([^"]*)"/g)].map(([, path = '']) => pageOf(path)))
  assert.deepEqual(
    named.filter((name) => name !== 'index.html' && !reached.has(name)),
    [],
  )
  const links = [...pages].flatMap(([from, html]) =>
    [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => ({ from, href })),
  )
  assert.ok(links.length > 3000)
  assert.deepEqual(
    links.filter(({ from, href }) => !/^https?:/.test(href) && !leadsSomewhere(from, href)),
    [],
  )
  assert.equal(leadsSomewhere('index.html', '/docs/reference/settings.html#none'), false)
  assert.equal(leadsSomewhere('how-to/limits.html', 'none.html'), false)
})

test('39.1 each page is also Markdown, whose links lead to Markdown; llms.txt lists the pages, llms-full.txt has them', async (t) => {
  const read = (name: string) => readFileSync(join(dist, name), 'utf8')
  const written = globSync('**/*.md', { cwd: dist }).sort()
  assert.deepEqual(
    written
      .map((name) => name.replace(/md$/, 'html'))
      .concat('404.html')
      .sort(),
    [...pages.keys()].sort(),
  )
  const { ask } = await openTestAdmin(t, { database })
  for (const [name, type] of [
    ['how-to/limits.md', 'text/markdown; charset=utf-8'],
    ['llms.txt', 'text/plain; charset=utf-8'],
  ] as const) {
    const { status, headers, body } = await ask(`GET /docs/${name}`, { as: 'nobody' })
    assert.deepEqual([status, headers.get('content-type'), body], [200, type, read(name)])
  }
  const broken = [...written, 'llms.txt', 'llms-full.txt'].flatMap((from) => {
    const prose = read(from)
      .replace(/^( *)```[\s\S]*?^\1```$/gm, '')
      .replace(/`[^`\n]*`/g, '')
    const links = [...prose.matchAll(/\]\((?!\w+:)([^)#\s]*)/g)].map(([, path = '']) => posix.join(dirname(from), path))
    return links.filter((to) => !existsSync(join(dist, to))).map((to) => `${from}: ${to}`)
  })
  assert.deepEqual(broken, [])
  const [, ...sections] = read('llms.txt').split(/^## /m)
  const rows = sections.join('').matchAll(/^- \[.+\]\((.+)\): \S.*$/gm)
  assert.deepEqual(
    [...rows].map(([, path]) => path).sort(),
    written.filter((name) => name !== 'index.md'),
  )
  assert.match(sections.at(-1) ?? '', /^Decisions\n/)
  const all = read('llms-full.txt')
  const titles = written
    .map((name) => /^# .*$/m.exec(read(name))?.[0] ?? '')
    .filter((title) => title !== '# Documentation')
  assert.deepEqual(
    titles.filter((title) => !all.includes(`\n${title}\n`)),
    [],
  )
  assert.match(read('reference/refusals.md'), /^\| `uriValueInvalid` \| /m)
  assert.match(read('how-to/handlers.md'), /hire\.ts \(`examples\/hr\/handlers\/hire\.ts`\)/)
  assert.match(read('how-to/limits.md'), /\]\(\.\.\/reference\/features\/limits\.md\)/)
})

test('no page shows a mark that is for tools only', () => {
  const marked = sources.filter((name) => readFileSync(join(root, 'docs', name), 'utf8').includes('<!-- generated'))
  assert.ok(marked.length > 3)
  assert.deepEqual(
    [...pages].filter(([, html]) => html.includes('&lt;!-- generated')).map(([name]) => name),
    [],
  )
  assert.doesNotMatch(readFileSync(join(dist, 'llms-full.txt'), 'utf8'), /<!-- (?:generated|end)/)
})

test('39.1 no page has an inline script or a style', () => {
  const inline =
    /<script(?![^>]* src=)|<style| style=| on\w+="|<(?:link|script|img)[^>]* (?:href|src)="(?:https?:|\/\/)/
  assert.deepEqual(
    [...pages].filter(([, html]) => inline.test(html.replace(/<code[\s\S]*?<\/code>/g, ''))).map(([name]) => name),
    [],
  )
})

test('39.1 a browser searches, reads code in light and dark and on a narrow screen, and asks no other host', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database })
  const { page, context, complaints } = await openPage(browser)
  const foreign: string[] = []
  context.on('request', (request) => {
    if (!request.url().startsWith(admin.url) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  await page.goto(`${admin.url}/docs/`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.deepEqual(await findViolations(page, 'docs'), [])
  for (const [word, place] of [
    ['uriValueInvalid', 'reference/refusals'],
    ['ig.limits.overloadDelay', 'reference/settings'],
    ['39.1', 'reference/specification'],
  ] as const) {
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill(word)
    await page.locator(`.VPLocalSearchBox a[href*="${place}"]`).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('#localsearch-input').waitFor({ state: 'detached' })
  }
  await page.goto(`${admin.url}/docs/tutorial/first-operation.html`)
  await page.locator('div[class*=language-]').first().waitFor()
  assert.deepEqual(await findViolations(page, 'docs-tutorial'), [])
  assert.deepEqual([complaints, foreign], [[], []])
})

function leadsSomewhere(from: string, href: string): boolean {
  const [path = '', anchor = ''] = href.split('#')
  const absolute = path === '' ? `/docs/${from}` : posix.resolve(`/docs/${dirname(from)}`, path)
  const target = absolute.replace(/^\/docs\/?/, '')
  const html = pages.get(path.endsWith('/') ? posix.join(target, 'index.html') : pageOf(target))
  return html !== undefined && (anchor === '' || html.includes(` id="${decodeURIComponent(anchor)}"`))
}

function pageOf(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : path
}
