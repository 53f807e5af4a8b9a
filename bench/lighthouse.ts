/**
 * `node --conditions=integration-gateway-source bench/lighthouse.ts [<lighthouse>]`: what Google's Lighthouse says of the
 * console, on a telephone and on a desk, signed out and signed in. It is no dependency: `npx` brings the version named
 * here, or the argument is the path of its program. Needs chromium. Exits 1 below 0.95.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const version = '13.5.0'
const least = 0.95
const root = join(import.meta.dirname, '..')
const pages = ['', '/overview', '/operations', '/operations/ECHO_GET.v1', '/try']
const [program] = process.argv.slice(2)

const folder = mkdtempSync(join(tmpdir(), 'ig-lighthouse-'))
const gateway = spawn(
  process.execPath,
  ['--conditions=integration-gateway-source', join(root, 'bin/ig.js'), 'start', join(root, 'examples/reference')],
  {
    env: {
      ...process.env,
      IG_PORT: '0',
      IG_ADMIN_PORT: '0',
      IG_DATABASE: join(folder, 'gateway.sqlite'),
      IG_LOG_LEVEL: '-100',
      IG_SECRETKEY: 'a secret key for measurements: 32',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  },
)
try {
  const { url, token } = await readLink()
  const signedIn = await fetch(`${url}/api/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, name: 'kim', password: 'a long sentence is a good one' }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const headers = join(folder, 'headers.json')
  writeFileSync(headers, JSON.stringify({ cookie }))
  console.log(`${'page'.padEnd(28)}${'screen'.padEnd(12)}accessibility  best practices  performance  kB`)
  for (const page of pages) {
    for (const screen of ['telephone', 'desk'] as const) {
      const { accessibility, practices, performance, bytes } = await ask(
        `${url}/console${page}`,
        screen,
        page === '' ? [] : [`--extra-headers=${headers}`],
      )
      console.log(
        `${(page || 'signing in').padEnd(28)}${screen.padEnd(12)}${String(accessibility).padEnd(15)}${String(practices).padEnd(16)}${String(performance).padEnd(13)}${Math.round(bytes / 1000)}`,
      )
      if (Math.min(accessibility, practices) < least) process.exitCode = 1
    }
  }
} finally {
  gateway.kill()
  rmSync(folder, { recursive: true, force: true })
}

async function readLink() {
  for await (const line of createInterface(gateway.stderr)) {
    const [, file] = /the first administrator with the link in (\S+),/.exec(line) ?? []
    const [, url, token] = /(http:\S+)\/setup#(\S+)/.exec(file === undefined ? line : readFileSync(file, 'utf8')) ?? []
    if (url && token) return { url, token }
  }
  throw new Error('ig start ended without a link')
}

interface Report {
  readonly categories: Readonly<Record<string, { readonly score: number }>>
  readonly audits: Readonly<
    Record<string, { readonly score: number | null; readonly title: string; readonly numericValue?: number }>
  >
}

async function ask(url: string, screen: 'telephone' | 'desk', options: readonly string[]) {
  const { stdout } = await promisify(execFile)(
    program ?? 'npx',
    [
      ...(program ? [] : ['--yes', `lighthouse@${version}`]),
      url,
      '--output=json',
      '--quiet',
      '--chrome-flags=--headless --no-sandbox --disable-gpu',
      ...(screen === 'desk' ? ['--preset=desktop'] : []),
      ...options,
    ],
    { env: { CHROME_PATH: '/usr/bin/chromium', ...process.env }, maxBuffer: 256 * 1024 ** 2 },
  )
  const { categories, audits } = JSON.parse(stdout) as Report
  for (const { score, title } of Object.values(audits))
    if (score === 0 && process.env.VERBOSE) console.log(`  ${title}`)
  return {
    accessibility: categories.accessibility?.score ?? 0,
    practices: categories['best-practices']?.score ?? 0,
    performance: categories.performance?.score ?? 0, // of this machine: not judged
    bytes: audits['total-byte-weight']?.numericValue ?? 0,
  }
}
