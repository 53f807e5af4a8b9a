/** HTML and scripts in every input: the console shows them as text (specification 19.12). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLogs } from '../../src/observe/open-logs.ts'
import { openTestAdmin, password } from '../support/admin.ts'
import { findViolations, goWithin, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'

/** 30 characters, as an operator id may have. */
const short = '<img src=x onerror=alert(1)>"\''
const long = `${short}<script>alert(2)</script><a href="javascript:alert(3)">\u202e&amp;{{7*7}}\${8*8}${'without'.repeat(10)}`

test('19.12, 19.13 HTML, scripts and very long words in every field, in logged traffic and in addresses are shown as text, and make no page wider', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const folder = mkdtempSync(join(tmpdir(), 'ig-console-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { admin, opened, ask, observations } = await openTestAdmin(t, {
    database: findDatabase('SQLite'),
    properties: {
      'ig.messageLog.filename': join(folder, 'msgLog.html'),
      'ig.errorLog.filename': join(folder, 'errorLog.html'),
      'ig.log.level': '5',
    },
  })
  const draft = (await ask('POST /api/drafts', { body: { title: long } })).body.id as string
  const put = async (line: string, body: object) => {
    const { status } = await ask(`POST ${line}`, { body })
    assert.ok(status < 300, `${line}: ${status}`)
  }
  const items: readonly (readonly [list: string, item: object])[] = [
    ['services', { name: 'MARKUP', description: long }],
    ['nodes', { name: 'MARKUP', description: long }],
    ['documents', { name: 'MARKUP', description: long, elements: { a: { type: 'String', values: [long] } } }],
    ['messages', { name: 'MARKUP', description: long, document: 'MARKUP' }],
    ['permission-lists', { name: 'MARKUP', description: long, services: ['MARKUP'] }],
    [
      'operations',
      {
        service: 'MARKUP',
        name: 'MARKUP',
        method: 'GET',
        description: long,
        handler: 'handlers/echo.ts#Echo',
        uriTemplates: [`{${'a'.repeat(230)}}`, '<b>{a}'],
        documentTemplate: 'MARKUP',
        responseMessage: { contentType: 'text/html; x="<script>alert(4)</script>"' },
      },
    ],
  ]
  for (const [list, item] of items) await put(`/api/drafts/${draft}/${list}`, item)
  await put(`/api/drafts/${draft}/services`, { name: short, description: 1, [long]: long }) // a fault with all of it
  await put('/api/operators', {
    id: short,
    description: long,
    password: 'x marks the spot',
    emails: [{ type: 'business', address: '<b>@example.com', isPrimary: true }],
  })
  await put('/api/administrators', { name: long.slice(0, 60).trim(), role: 'viewer', password })
  await put('/api/tokens', { name: long.slice(0, 60), role: 'viewer' })
  const authorization = `Basic ${Buffer.from(`${short}:x marks the spot`).toString('base64')}`
  const target = `/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/${encodeURIComponent(long)}`
  await fetch(opened.url + target, { headers: { authorization, 'x-markup': short } })
  await fetch(`${opened.url}/PSIGW/RESTListeningConnector/LOCAL_NODE/${encodeURIComponent(short)}.v1`)

  const logs = openLogs(opened.gateway.settings, { write() {} })
  for (const observation of observations) logs.observe(observation)
  await logs.close()

  const { page, complaints } = await openPage(browser)
  await page.addInitScript('globalThis.alert = (text) => { globalThis.hasRun = text }')
  await signIn(page, `${admin.url}/console/drafts/${draft}`, 'an administrator')
  await page.getByRole('button', { name: 'Edit this draft' }).click()
  await page.getByRole('button', { name: 'Stop editing' }).waitFor()
  const violations: string[] = []
  const pages: readonly (readonly [path: string, shown: string])[] = [
    [`/drafts/${draft}`, long],
    ['/drafts', long],
    ...items.flatMap(([list]) => {
      const id = list === 'operations' ? 'MARKUP_GET.v1' : 'MARKUP'
      return [
        [`/${list}?search=MARKUP`, id],
        [`/${list}/${id}`, id],
      ] as const
    }),
    ['/operations/MARKUP_GET.v1?tab=uri', 'Test a URL'],
    ['/operations/MARKUP_GET.v1?tab=messages', 'Response'],
    [`/services/${encodeURIComponent(short)}`, short],
    ['/operators', short],
    [`/operators/${encodeURIComponent(short)}`, short],
    ['/permission-matrix', short],
    ['/administrators', short],
    ['/tokens', short],
    ['/audit', short],
    [`/audit?subject=${encodeURIComponent(short)}`, short],
    ['/logs?level=debug', 'echo/'],
    [`/${encodeURIComponent(long)}`, 'Page not found'],
    [`/try?path=${encodeURIComponent(`/${long}`)}`, 'Call'],
  ]
  for (const [path, shown] of pages) {
    const url = `${admin.url}/console${path}`
    await (path.includes('%3C') ? page.goto(url) : goWithin(page, url)) // an address with markup is also read by a load
    await page.getByText(shown).first().waitFor()
    const found = await page.evaluate(
      "[globalThis.hasRun, document.querySelectorAll('main img, script:not([src]), a[href^=javascript]').length]",
    )
    assert.deepEqual(found, [undefined, 0], path)
    for (const width of [400, 1280]) {
      await page.setViewportSize({ width, height: 860 })
      const [content, screen] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
      assert.ok(Number(content) <= Number(screen), `${path}: ${content} at ${width}`)
      const tables = page.locator('section.wide:not([aria-label="Callers and operations"])')
      for (const table of await tables.all()) {
        const [wide, room] = await table.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
        assert.ok(wide <= room, `${path}: a table of ${wide} in ${room} at ${width}`)
      }
    }
  }
  violations.push(...(await findViolations(page, 'markup')))
  await goWithin(page, `/console/operators/${encodeURIComponent(short)}`)
  await page.getByRole('textbox', { name: 'Description' }).waitFor()
  violations.push(...(await findViolations(page, 'markup-operator')))
  assert.deepEqual([violations, complaints], [[], []])
})
