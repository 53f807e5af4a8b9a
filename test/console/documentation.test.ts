/** The documentation site as administration serves it (specification 39): each built page, and some in a real browser. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { webAddress } from '../../site/.vitepress/edit-base.ts'
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
  for (const path of [
    '/docs/none.html',
    '/docs/none',
    '/docs/..%2F..%2Fpackage.json',
    '/docs/assets/',
    '/docs/built-from.json',
  ]) {
    const missing = await get(path)
    assert.deepEqual([missing.status, missing.body], [404, pages.get('404.html')], path)
  }
})

test('39.1 a page has the same answer with .html and without', async (t) => {
  const { ask } = await openTestAdmin(t, { database })
  const named = [...pages.keys()].filter((name) => name !== '404.html')
  for (const name of named) {
    const clean = name.replace(/(^|\/)index\.html$/, '$1').replace(/\.html$/, '')
    for (const path of [name, clean]) {
      const { status, body } = await ask(`GET /docs/${path}`, { as: 'nobody' })
      assert.deepEqual([status, body === pages.get(name)], [200, true], path)
    }
  }
})

test('the sidebar has every page, and every link leads to a page and a heading', () => {
  const features = readdirSync(join(root, 'src/features')).map((name) => `reference/features/${name}.html`)
  const named = sources
    .filter((name) => !name.includes('['))
    .map((name) => name.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))
    .concat(features)
  assert.deepEqual([...pages.keys()].sort(), [...named, '404.html'].sort())
  const sidebar = /<nav[^>]* id="VPSidebarNav"[\s\S]*?<\/nav>/.exec(pages.get('how-to/limits.html') ?? '')?.[0] ?? ''
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
  assert.equal(leadsSomewhere('index.html', '/docs/reference/settings#none'), false)
  assert.equal(leadsSomewhere('how-to/limits.html', 'none'), false)
})

test('a page is called the same by its title, its heading, the sidebar and the list of all pages', () => {
  const sidebar = /<nav[^>]* id="VPSidebarNav"[\s\S]*?<\/nav>/.exec(pages.get('how-to/limits.html') ?? '')?.[0] ?? ''
  const links = [...sidebar.matchAll(/<a [^>]*href="\/docs\/([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)]
  const list = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const listed = [...list.matchAll(/^- \[([^\]]*)\]\(([^)]*\.md)\)/gm)].map(([, text = '', path = '']) => {
    return { text, page: path.replace(/README\.md$/, 'index.md').replace(/md$/, 'html') }
  })
  assert.ok(listed.length > 20)
  const named = [...links.map(([, path = '', text = '']) => ({ text, page: pageOf(path) })), ...listed]
  const differing = named.flatMap(({ text, page }) => {
    const html = pages.get(page) ?? ''
    const [, heading = ''] = /<h1[^>]*>([\s\S]*?)<\/h1>/.exec(html) ?? []
    const names = [textOf(text), titleOf(html), textOf(heading)]
    return names.every((name) => name === names[0]) ? [] : [`${page}: ${names.join(' | ')}`]
  })
  assert.deepEqual(differing, [])
})

test('every page has a title of its own, a heading, and a text for each picture', () => {
  const titles = [...pages.values()].map(titleOf)
  assert.deepEqual(
    titles.filter((title, at) => title === '' || titles.indexOf(title) !== at),
    [],
  )
  assert.deepEqual(
    [...pages]
      .filter(([name, html]) => name !== '404.html' && !/<h1[^>]*>\s*(?:<[^>]*>)*[^<\s]/.test(html))
      .map(([name]) => name),
    [],
  )
  const pictures = [...pages].flatMap(([name, html]) =>
    [...html.matchAll(/<img [^>]*>/g)].map(([picture]) => ({ name, picture })),
  )
  assert.deepEqual(
    pictures.filter(({ picture }) => !/ alt="[^"]/.test(picture) && !/class="[^"]*\blogo\b/.test(picture)),
    [],
  )
  const concepts = [...pages].filter(([name]) => /^explanation\/[\w-]+\.html$/.test(name))
  assert.ok(concepts.length > 4)
  assert.deepEqual(
    concepts
      .filter(([name]) => !pictures.some((each) => each.name === name && !each.picture.includes('logo')))
      .map(([name]) => name),
    [],
  )
})

test('a page leads to the previous and the next one, shows the version, and to its source if the repository is on the web', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const html = pages.get('how-to/limits.html') ?? ''
  const pagers = [...html.matchAll(/<a [^>]*class="[^"]*pager-link[^"]*"[^>]*href="([^"]*)"/g)]
  assert.deepEqual(
    pagers.map(([, href = '']) => href),
    ['/docs/how-to/gitops', '/docs/how-to/administration'],
  )
  assert.ok(html.includes(`Integration Gateway <small>${version}</small>`))
  for (const url of [
    'git+https://github.com/example/gateway.git',
    'https://kim:token@github.com/example/gateway',
    'git@github.com:example/gateway.git',
    'ssh://git@github.com/example/gateway.git',
  ])
    assert.equal(webAddress(url), 'https://github.com/example/gateway', url)
  for (const url of ['', '/srv/git/gateway.git', '../gateway', 'file:///srv/gateway'])
    assert.equal(webAddress(url), undefined, url)
  const edits = [...pages.values()].flatMap((page) => [...page.matchAll(/href="(https:[^"]*\/edit\/main\/[^"]*)"/g)])
  const names = edits.map(([, href = '']) => new URL(href).pathname.split('/edit/main/')[1] ?? '')
  assert.deepEqual(
    names.filter((name) => globSync(name, { cwd: root }).length !== 1),
    [],
  )
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
  assert.match(
    read('llms.txt'),
    /^- \[Jobs\]\(reference\/features\/jobs\.md\): A job is code of the project that runs/m,
  )
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

test('39.1 a browser reads the pages in light and dark and on a narrow screen, and asks no other host', async (t) => {
  const opened = await openDocumentation(t)
  if (!opened) return
  const { page, complaints, foreign, url } = opened
  assert.deepEqual(await findViolations(page, 'docs'), [])
  for (const path of ['tutorial/first-operation', 'how-to/databases', 'reference/settings']) {
    await page.goto(`${url}/docs/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.deepEqual(await findViolations(page, `docs-${posix.basename(path)}`), [])
  }
  const filtered = `[...document.querySelectorAll('.vp-doc img')].map((each) => getComputedStyle(each).filter !== 'none')`
  for (const [colorScheme, path, isFiltered] of [
    ['light', 'explanation/architecture', false],
    ['dark', 'explanation/architecture', true],
    ['dark', 'how-to/administration', false], // a picture of the console, which is taken in light
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${url}/docs/${path}`)
    const pictures = await page.evaluate<boolean[]>(filtered)
    assert.ok(pictures.length > 0 && pictures.every((each) => each === isFiltered), `${colorScheme} ${path}`)
  }
  await page.goto(`${url}/docs/none`)
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
  await page.getByRole('link', { name: 'All pages' }).click()
  await page.getByRole('heading', { name: 'Reference' }).waitFor()
  assert.deepEqual([complaints, foreign], [[], []])
})

test('the search finds a setting, a refusal, a command, a number and a word of the field first where it is described, decisions last', async (t) => {
  const opened = await openDocumentation(t)
  if (!opened) return
  const { page, complaints } = opened
  for (const [words, first] of [
    ['ig.limits.guessDelay', 'reference/settings#ig.limits.guessDelay'],
    ['guessDelay', 'reference/settings#ig.limits.guessDelay'],
    ['ig.port', 'reference/settings#ig.port'],
    ['uriValueInvalid', 'reference/refusals#uriValueInvalid'],
    ['permissionDenied', 'reference/refusals#permissionDenied'],
    ['ig operator list', 'reference/verbs#ig-operator-list'],
    ['ig try', 'reference/verbs#ig-try'],
    ['pagination', 'how-to/handlers/tables#pagination'],
    ['upload', 'how-to/handlers/json#bytes-upload-and-download'],
    ['outbox', 'how-to/handlers/services#an-outbox-work-that-must-not-be-lost'],
    ['roles', 'how-to/administration#roles'],
    ['paging', 'how-to/handlers/tables#pagination'],
    ['migration', 'how-to/handlers/tables#create-tables-migrations'],
    ['retry', 'how-to/handlers/idempotency#retry-calls-safely-idempotency-key'],
    ['token', 'how-to/administration#tokens-for-scripts'],
    ['session token', 'how-to/session-tokens#sign-in-once-session-tokens'],
    ['ig token', 'reference/verbs#ig-token'],
    ['3.24', 'reference/specification#3.24'],
    ['26.1', 'reference/features/idempotency#26.1'],
    ['D-1300', 'explanation/decisions/architecture#d-1300-a-feature-is-a-folder-in-a-closed-table'],
  ] as const) {
    const found = await search(page, words)
    assert.equal(found[0], `/docs/${first}`, `${words}: ${found}`)
    const ofDecisions = found.map((href) => href.includes('/decisions/'))
    if (!/^D-/.test(words)) assert.deepEqual(ofDecisions, ofDecisions.toSorted(), `${words}: ${found}`)
  }
  assert.deepEqual(complaints, [])
})

test('code fits the screen and is copied without prompt and output; tabs show one of two', async (t) => {
  const opened = await openDocumentation(t)
  if (!opened) return
  const { page, context, url } = opened
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${url}/docs/how-to/session-tokens`)
  const copied = async (text: string) => {
    const block = page.locator('div.language-console:visible').filter({ hasText: text })
    await block.hover()
    await block.locator('button.copy').click()
    return page.evaluate<string>('navigator.clipboard.readText()')
  }
  assert.equal(
    await copied('KIM is added.'),
    "echo 'correct horse battery staple' | ig operator add KIM --password-stdin \\\n  --permission-list REFERENCE_ALL\nig start",
  )
  const path = 'PSIGW/RESTListeningConnector/LOCAL_NODE/METADATA_TOKEN.v1'
  assert.equal(
    await copied('All session tokens of KIM are revoked.'),
    `ig session-token revoke KIM --yes\nsleep 1; curl -s -b cookies \\\n  http://127.0.0.1:8080/${path}`,
  )
  const program = page.getByText('const signedIn')
  assert.equal(await program.isVisible(), false)
  await page.getByText('TypeScript', { exact: true }).click()
  await program.waitFor()
})

test('on a screen of 1280 pixels no line of code is wrapped and no table scrolls, on one of 400 each cell of a table is under its row, with a label', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database })
  for (const [width, find] of [
    [1280, wide],
    [400, narrow],
  ] as const) {
    const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: false }) // quick
    const page = await context.newPage()
    const found: string[] = []
    for (const name of pages.keys()) {
      await page.goto(`${admin.url}/docs/${name}`)
      found.push(...(await page.evaluate<string[]>(find)).map((each) => `${name}: ${each}`))
    }
    await context.close()
    assert.deepEqual(found, [], `${width}`)
  }
})

/** What a program prints or gets cannot be broken, nor can a word of 80 characters, such as a URL. */
const wide = `[...document.querySelectorAll('.vp-doc pre code .line')]
  .filter((line) => new Set([...line.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
  .filter((line) => !line.closest('.vp-copy-ignore, .language-csv, .language-jsonl') && !/\\S{80}/.test(line.textContent))
  .filter((line) => !line.closest('.language-text') || location.pathname.includes('/reference/'))
  .concat([...document.querySelectorAll('.vp-doc pre, .vp-doc table')].filter((each) => each.scrollWidth > each.clientWidth))
  .map((each) => each.tagName + ' ' + each.textContent.slice(0, 120))`

const narrow = `[...document.querySelectorAll('.vp-doc td')]
  .filter((cell) => cell.textContent !== '' && (cell.scrollWidth > cell.clientWidth || cell.clientWidth < 300 || !labelOf(cell)))
  .map((cell) => cell.clientWidth + ': ' + cell.textContent.slice(0, 80))
  .concat(document.documentElement.scrollWidth > innerWidth ? ['wider than the screen'] : [])

function labelOf(cell) {
  const column = [...cell.parentNode.children].indexOf(cell)
  const text = cell.closest('table').querySelectorAll('th')[column].textContent
  return column === 0 || text === '' || getComputedStyle(cell, '::before').content.includes(text)
}`

async function openDocumentation(t: Parameters<typeof openTestAdmin>[0]) {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin } = await openTestAdmin(t, { database })
  const opened = await openPage(browser)
  const foreign: string[] = []
  opened.context.on('request', (request) => {
    if (!request.url().startsWith(admin.url) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  await opened.page.goto(`${admin.url}/docs/`)
  await opened.page.getByRole('heading', { level: 1 }).first().waitFor()
  return { ...opened, foreign, url: admin.url }
}

/** @returns the addresses of what was found, in order */
async function search(page: Page, words: string): Promise<string[]> {
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill('')
  await page.locator('.VPLocalSearchBox .result').first().waitFor({ state: 'detached' })
  await page.locator('#localsearch-input').fill(words)
  const results = page.locator('.VPLocalSearchBox a.result')
  await results.first().waitFor()
  const found = await results.evaluateAll((links) =>
    links.map((link) => (link as { getAttribute(name: string): string }).getAttribute('href')),
  )
  await page.keyboard.press('Escape')
  await page.locator('#localsearch-input').waitFor({ state: 'detached' })
  return found
}

function titleOf(html: string): string {
  return textOf(/<title>([^<|]+)/.exec(html)?.[1] ?? '')
}

/** Without elements, and the mark of a permanent link. */
function textOf(html: string): string {
  return html.replace(/<[^>]*>|\u200b|&ZeroWidthSpace;/g, '').trim()
}

function leadsSomewhere(from: string, href: string): boolean {
  const [path = '', anchor = ''] = href.split('#')
  const absolute =
    path === '' ? `/docs/${from}` : posix.resolve(`/docs/${dirname(from)}`, path) + (path.endsWith('/') ? '/' : '')
  const html = pages.get(pageOf(absolute.replace(/^\/docs\/?/, '')))
  return html !== undefined && (anchor === '' || html.includes(` id="${decodeURIComponent(anchor)}"`))
}

/** @param path of a link, without `.html` */
function pageOf(path: string): string {
  return path === '' || path.endsWith('/') ? `${path}index.html` : `${path.replace(/\.html$/, '')}.html`
}
