/** docs/how-to/off-the-internet.md, followed as written, with a server that plays the original. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ig, makeProject, serve } from '../support/cli.ts'
import { type Original, openOriginal } from '../support/original.ts'
import { replaceAll, skipWithout, startProxy } from '../support/proxies.ts'
import { readTranscript } from '../support/transcript.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/off-the-internet.md'), 'utf8')
const block = (pattern: RegExp) => pattern.exec(guide)?.[1] ?? ''
const password = 'what PARTNER calls with'
const folder = makeProject({ 'access.log': block(/```text\n# access\.log\n([\s\S]*?)```/) })
const guard = join(folder, 'guard')

let original: Original
before(async () => {
  original = await openOriginal()
})
after(async () => {
  original.close()
})

test('16.19, 44.1 the access log becomes a project that passes its calls on', async () => {
  const [command] = readTranscript(guide)
  const [, ...args] = command?.line.split(' ') ?? []
  const { stdout } = await ig(args, { cwd: folder })
  assert.equal(stdout.trimEnd(), command?.expected)
})

test('44.2 a call that the log does not name is added by its row and its id', async () => {
  const file = join(guard, 'gateway.config.ts')
  const id = block(/here `(PeopleSoftService\S+)`/)
  const row = block(/```ts\n( +\{\n +connector[\s\S]*?)```/)
  const changed = replaceAll(readFileSync(file, 'utf8'), [
    ['  listeners: [\n', `  listeners: [\n${row}`],
    ["operations: ['JOB_GET.v1', ", `operations: ['${id}', 'JOB_GET.v1', `],
    ['https://hr.internal.example', original.url],
  ])
  writeFileSync(file, changed)
  const { stdout } = await ig(['check', '--project', 'guard'], { cwd: folder })
  assert.match(stdout, /^No errors: 1 operation, 1 service, 2 listeners, 1 permission list\./)
})

test('44.1, 44.6, 36.10, 36.11 the gateway answers listed calls as the original does, and no other', async (t) => {
  const env = { IG_OPERATOR_PASSWORD: password, IG_COMPARE_PASSWORD: password }
  const [, line = ''] = /^ig (operator add PARTNER .*)$/m.exec(guide) ?? []
  const added = await ig([...line.split(' '), '--password-stdin'], { cwd: folder, env, input: `${password}\n` })
  assert.equal(added.code, 0, added.stderr)
  const gateway = serve(['start', '--project', guard, '--port', '0'])
  const [url = ''] = await gateway.until(/http:\/\/127\.0\.0\.1:\d+/)
  writeFileSync(join(folder, 'calls.jsonl'), block(/```jsonl\n([\s\S]*?)```/))
  const [, compare = ''] = /^ig (compare .*\\\n.*)$/m.exec(guide) ?? []
  const args = replaceAll(compare, [
    ['\\\n  ', ''],
    ['https://hr.internal.example', original.url],
    ['http://127.0.0.1:8080', url],
  ]).split(' ')
  const compared = await ig(args, { cwd: folder, env })
  assert.match(compared.stdout, /^1 call: 1 the same, 0 differ\./m)
  assert.equal((await fetch(`${url}/PSEMHUB/hub`)).status, 404)
  for (const name of ['nginx', 'haproxy'] as const)
    await t.test(`44.6 so they do behind ${name}`, skipWithout(name, name === 'nginx' ? 'nginx-light' : name), () =>
      callBehind(name, url),
    )
  await gateway.stop()
  const [, report = ''] = /`ig (report [^`]*)`/.exec(guide) ?? []
  const { code, stderr } = await ig(report.split(' '), { cwd: folder })
  assert.equal(code, 0, stderr)
})

async function callBehind(name: 'nginx' | 'haproxy', url: string): Promise<void> {
  const port = Number(new URL(url).port)
  await using proxy = await startProxy(name, { plain: [port, port] })
  original.requests.length = 0
  const headers = {
    authorization: `Basic ${Buffer.from(`PARTNER:${password}`).toString('base64')}`,
    'content-type': 'text/xml',
    soapaction: '"HIRE.v1"',
  }
  const call = (path: string) => fetch(proxy.plainUrl + path, { method: 'POST', headers, body: '<hire/>' })
  assert.equal((await call('/PSIGW/PeopleSoftServiceListeningConnector')).status, 200)
  assert.equal((await call('/PSEMHUB/hub')).status, 404)
  assert.deepEqual(
    original.requests.map(({ url, body }) => `${url} ${body}`),
    ['/PSIGW/PeopleSoftServiceListeningConnector <hire/>'],
  )
}
