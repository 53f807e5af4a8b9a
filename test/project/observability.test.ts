/** The dashboard and the alert rules of `deploy/observability/` speak of metrics and labels that a real scrape has. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parse } from 'yaml'
import { metricTable } from '../../src/observe/metrics/metric-table.ts'
import { makeCertificate } from '../support/certificate.ts'
import { makeProject, serve } from '../support/cli.ts'
import { send } from '../support/client.ts'
import { clusterFiles, connector } from '../support/cluster-project.ts'
import { poll } from '../support/poll.ts'
import { skipWithout } from '../support/proxies.ts'
import { type Family, parseScrape, sumOf } from '../support/scrape.ts'

const folder = join(import.meta.dirname, '../../deploy/observability')
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
const rules: readonly Rule[] = parse(read('alerts.yaml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)

interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string }[]
}
const dashboard = JSON.parse(read('dashboard.json'))
const panels: readonly Panel[] = dashboard.panels
const variables: readonly { name: string; definition?: string }[] = dashboard.templating.list

let scraped: ReadonlyMap<string, Family>
before(async () => {
  const { cert, key } = makeCertificate()
  const job = "jobs: [{ name: 'JOB', every: '1d', handler: 'handlers/job.js' }],"
  const limit = "limits: [{ name: 'ALL', calls: 1000, per: '1s' }],"
  const files = {
    ...clusterFiles,
    'gateway.config.js':
      clusterFiles['gateway.config.js']
        ?.replace(/\}$/, `${job}${limit}\n}`)
        .replace("name: 'WHO',", "name: 'WHO', slo: { latency: '1s' },") ?? '',
    'handlers/job.js': 'export default class Job { run() {} }',
    'cert.pem': cert,
    'key.pem': key,
    'data/gateway-monitor.sqlite/in-its-place': '', // the monitor cannot open its file
  }
  const pair = (key: string) => ({ [`${key}_CERT`]: 'cert.pem', [`${key}_KEY`]: 'key.pem' })
  const tls = { ...pair('IG_TLS'), IG_TLS_PORT: '0', ...pair('IG_ADMIN_TLS'), IG_ADMIN_PORT: '0' }
  const secret = `whsec_${Buffer.alloc(32).toString('base64')}`
  const webhooks = { IG_WEBHOOKS_URLS: 'https://127.0.0.1:1', IG_WEBHOOKS_SECRET: secret }
  const serving = serve(['start', makeProject(files), '--port', '0'], {
    env: { IG_METRICS_PORT: '0', IG_TRACING_ENDPOINT: 'http://127.0.0.1:1', ...webhooks, ...tls },
  })
  const [, place = ''] = await serving.until(/serving \S+ at (http:\S+)/)
  const [, metrics = ''] = await serving.until(/metrics at (http:\S+?\/metrics)/)
  await send(place, `GET ${connector}/WHO.v1`)
  await send(place, 'GET /healthz') // that one is refused, and has no duration
  await serving.until(/"event":"monitorAway"/)
  // Also an event of one that reads the others
  await poll(async () => {
    scraped = parseScrape(await (await fetch(metrics)).text())
    return sumOf(scraped, 'ig_events_total', { event: 'monitorAway' }) > 0
  })
  await serving.stop()
})

/** Beside those of the gateway: what Prometheus, or its configuration, adds to each sample. */
const added = ['instance', 'job', 'cluster', 'environment']
const known = (name: string) => scraped.get(name) ?? scraped.get(name.replace(/_(?:bucket|sum|count)$/, ''))

/** What an expression asks for that no scrape has. */
function findUnknown(expression: string): string[] {
  const open = expression.replace(/\$__rate_interval|\$__range/g, '5m').replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const unknown: string[] = []
  const asked = new Set<string>()
  for (const [, name = '', , matchers = ''] of open.matchAll(
    /\b([a-z][a-z0-9]*_[a-z0-9_]+|up)\b(?!\s*\()(\{([^}]*)\})?/g,
  )) {
    if (name === 'up') continue
    const family = known(name)
    const samples = family?.samples.filter((sample) => sample.name === name) ?? []
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)))
    if (samples.length === 0) unknown.push(name)
    for (const label of labels) asked.add(label)
    for (const [, label = ''] of matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g))
      if (!labels.has(label) && !added.includes(label)) unknown.push(`${name}{${label}}`)
  }
  for (const [, labels = ''] of open.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g))
    for (const label of labels.split(',').map((each) => each.trim()))
      if (!asked.has(label) && !added.includes(label)) unknown.push(`by (${label})`)
  return unknown
}

test('a scrape has every metric of the table that this process can have', () => {
  const missing = Object.keys(metricTable).filter((name) => !scraped.has(name))
  assert.deepEqual(missing, [])
  const expiries = scraped.get('ig_certificate_expires_timestamp_seconds')?.samples ?? []
  assert.deepEqual(expiries.map(({ labels }) => labels.listener).sort(), ['administration', 'calls'])
})

test('every metric and label of the alert rules is in a scrape', () => {
  assert.ok(rules.length >= 10)
  for (const { alert, expr } of rules) assert.deepEqual(findUnknown(expr), [], alert)
  assert.deepEqual(findUnknown('sum by (nobody) (rate(ig_no_such_total{a="b"}[5m])) / ig_refusals_total{kode="x"}'), [
    'ig_no_such_total',
    'ig_no_such_total{a}',
    'ig_refusals_total{kode}',
    'by (nobody)',
  ])
})

test('every alert has a severity, a summary and what to do, with labels that its expression keeps', () => {
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
  for (const { alert, expr, labels, annotations, for: wait = '1m' } of rules) {
    assert.match(alert, /^Gateway[A-Za-z]+$/)
    assert.match(wait, /^\d+[smh]$/)
    assert.match(labels.severity ?? '', /^(?:critical|warning|info)$/)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook_url'])
    for (const [, label = ''] of JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g))
      assert.ok(label === 'instance' || new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr), `${alert}: ${label}`)
    assert.ok(isBalanced(expr), alert)
  }
})

test('Prometheus takes the rules and its configuration', skipWithout('promtool', 'prometheus'), () => {
  const check = (...args: string[]) => spawnSync('promtool', ['check', ...args], { cwd: folder, encoding: 'utf8' })
  const checkedRules = check('rules', 'alerts.yaml')
  assert.equal(checkedRules.status, 0, checkedRules.stderr)
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const plain = expressions.map((expr) => expr.replace(/\$__rate_interval/g, '5m').replace(/"\$\w+"/g, '".*"'))
  const asRules = plain.map((expr, index) => ({ record: `panel:${index}`, expr }))
  const file = join(mkdtempSync(join(tmpdir(), 'ig-rules-')), 'dashboard.json') // JSON is YAML
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
  const checkedPanels = check('rules', file)
  assert.equal(checkedPanels.status, 0, checkedPanels.stderr)
  const checked = check('config', 'prometheus.yaml')
  assert.equal(checked.status, 0, checked.stderr + checked.stdout)
})

test('every expression of the dashboard uses metrics and labels of a scrape', () => {
  const expressions = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
  assert.ok(expressions.length >= 20)
  for (const { title, expr } of expressions) {
    assert.deepEqual(findUnknown(expr), [], title)
    assert.ok(isBalanced(expr), title)
    for (const [, name = ''] of expr.matchAll(/\$(\w+)/g))
      assert.ok(name.startsWith('__') || variables.some((variable) => variable.name === name), `${title}: $${name}`)
  }
  for (const { definition } of variables) {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? '') ?? []
    if (definition !== undefined) assert.deepEqual(findUnknown(`sum by (${label}) (${metric}{})`), [], definition)
  }
})

test('the panels of the dashboard have their own places', () => {
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  for (const [index, { title, gridPos: one }] of panels.entries()) {
    assert.ok(one.x + one.w <= 24, title)
    for (const { title: second, gridPos: other } of panels.slice(index + 1)) {
      const apart =
        one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y
      assert.ok(apart, `${title} lies on ${second}`)
    }
  }
})

function isBalanced(expression: string): boolean {
  const open: string[] = []
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
  for (const character of expression.replace(/"(?:[^"\\]|\\.)*"/g, '')) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in pairs && open.pop() !== pairs[character]) return false
  }
  return open.length === 0
}
