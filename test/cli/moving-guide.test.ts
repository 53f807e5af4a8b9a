/** docs/how-to/moving.md, run as written (specification 36). */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type IgProcess, ig, makeProject, serve } from '../support/cli.ts'
import { poll } from '../support/poll.ts'
import { readTranscript } from '../support/transcript.ts'

const run = promisify(execFile)
const guide = readFileSync(join(import.meta.dirname, '../../docs/how-to/moving.md'), 'utf8')

/** The files of a page by folder, and the text of a section. */
const files = new Map<string, Record<string, string>>()
for (const [, folder = '', name = '', text = ''] of guide.matchAll(
  /^```\w+\n(?:\/\/|#) (\w+)\/([\w./-]+)\n([\s\S]*?)```/gm,
))
  files.set(folder, { ...files.get(folder), [name]: text })
const sectionOf = (title: string) => guide.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? ''

const origins: Record<string, string> = {}
let moved = ''
let replaced: IgProcess['until']
let gateway: IgProcess
const running: IgProcess[] = []
before(async () => {
  const { 'handlers/job.ts': handler = '', ...first } = files.get('moved') ?? {}
  const original = serve(['dev', makeProject(files.get('original') ?? {}), '--port', '0', '--issuer-port', '0'])
  const [at = ''] = await original.until(/http:\/\/127\.0\.0\.1:\d+/)
  const config = (first['gateway.config.ts'] ?? '').replace('http://127.0.0.1:8001', at)
  moved = makeProject({ ...first, 'gateway.config.ts': config, 'handlers/job.ts': handler })
  gateway = serve(['dev', moved, '--port', '0', '--issuer-port', '0'])
  const [own = ''] = await gateway.until(/http:\/\/127\.0\.0\.1:\d+/)
  Object.assign(origins, { 'http://127.0.0.1:8001': at, 'http://127.0.0.1:8080': own })
  replaced = gateway.fromNow()
  running.push(gateway, original)
})
after(async () => {
  for (const each of running) await each.stop()
})

const replaceOrigins = (text: string) =>
  Object.entries(origins).reduce((all, [from, to]) => all.replaceAll(from, to), text)

async function runTranscripts(section: string): Promise<number> {
  const commands = readTranscript(section)
  for (const { line, expected } of commands) {
    const [program = '', ...args] = [...line.replaceAll('\\\n', '').matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? '',
    )
    const { stdout } = await runCommand(program, args.map(replaceOrigins))
    assert.equal(stdout.trimEnd(), expected, line)
  }
  return commands.length
}

/** `ig …` and `env NAME=value ig …` run the verb of this checkout. */
function runCommand(program: string, args: readonly string[]): Promise<{ readonly stdout: string }> {
  if (program === 'ig') return ig(args, { cwd: moved })
  if (program !== 'env') return run(program, args, { cwd: moved })
  const [assignment = '', , ...verb] = args
  return ig(verb, { cwd: moved, env: Object.fromEntries([assignment.split('=')]) })
}

test('36.1, 36.2, 36.19 docs/how-to/moving.md: operations are passed through, then one is moved by its line', async () => {
  const section = sectionOf('One operation at a time')
  assert.equal(await runTranscripts(section), 3)
  const [, handler = ''] = /^```ts\n +(handler: .*),\n```/m.exec(section) ?? []
  const config = readFileSync(join(moved, 'gateway.config.ts'), 'utf8')
  const changed = config.replace('handler: passThrough(original)', handler)
  assert.notEqual(changed, config)
  await writeFile(join(moved, 'gateway.config.ts'), changed)
  const url = replaceOrigins('http://127.0.0.1:8080/PSIGW/RESTListeningConnector/PSFT_HR/JOB.v1/')
  await replaced(/Reloaded/)
  const { stdout } = await run('curl', ['-s', '-u', 'TESTER:tester-password', url])
  assert.equal(JSON.parse(stdout).title, 'engineer')
})

test('16.14 docs/how-to/moving.md: the definitions of the original become a project', async () => {
  const folder = makeProject(files.get('export') ?? {})
  await rename(folder, join(moved, 'export'))
  assert.equal(await runTranscripts(sectionOf('Import')), 1)
})

test('37.1, 37.14 docs/how-to/moving.md: operators are imported, and the holders of a permission list shown', async () => {
  const section = sectionOf('Operators and passwords')
  await writeFile(join(moved, 'operators.csv'), /```csv\n([\s\S]*?)```/.exec(section)?.[1] ?? '')
  await writeFile(join(moved, 'holders.txt'), 'BATCH\nKIM\n')
  assert.equal(await runTranscripts(section), 4)
})

test('36.9, 36.11 docs/how-to/moving.md: the moved operation is compared with the original', async () => {
  assert.equal(await runTranscripts(sectionOf('Compare')), 1)
})

test('36.14 docs/how-to/moving.md: the reason of a refused URL says what would be right', async () => {
  assert.equal(await runTranscripts(sectionOf('Hints for wrong URLs')), 1)
})

test('36.21, 40.1, 40.2, 40.3 docs/how-to/moving.md: the report shows what has moved, who calls it and who would lose what', async () => {
  const [, expected = ''] = /```console\n\$ ig report\n([\s\S]*?)```/.exec(sectionOf('Report')) ?? []
  const report = async (...args: readonly string[]) => (await ig(['report', ...args], { cwd: moved })).stdout
  const lines = (text: string) => text.replaceAll(/ +/g, ' ').trim()
  await poll(async () => lines(await report()) === lines(expected)) // the monitor stores calls later
  const { days, operations, losses } = JSON.parse(await report('--json', '--html', 'report.html'))
  assert.deepEqual([days, operations[0].state, losses[0].lacks], [7, 'moved', 'operator'])
  const page = readFileSync(join(moved, 'report.html'), 'utf8')
  assert.ok(page.includes('<td>TITLE_GET.v1</td><td>passed through</td><td>1</td><td></td><td>TESTER</td>'))
  assert.match((await ig(['report', '--days', 'x'], { cwd: moved })).stderr, /--days must be 1 to 366, not x\./)
  const broken = await ig(['report', '--compared', 'report.html'], { cwd: moved })
  assert.match(broken.stderr, /report\.html is no result of ig compare --json\./)
})

test('36.17, 40.6 docs/how-to/moving.md: a shadow runs beside the original, and what differs is listed and reported', async () => {
  const section = sectionOf('Shadow')
  const [, handler = ''] = /^```ts\n +(handler: passThrough.*),\n```/m.exec(section) ?? []
  const place = join(moved, 'gateway.config.ts')
  const config = readFileSync(place, 'utf8')
  const reloaded = gateway.fromNow()
  await writeFile(place, config.replace("handler: 'handlers/job.ts'", handler))
  await reloaded(/Reloaded/)
  const url = replaceOrigins('http://127.0.0.1:8080/PSIGW/RESTListeningConnector/PSFT_HR/JOB.v1/')
  const { stdout } = await run('curl', ['-s', '-u', 'TESTER:tester-password', url])
  assert.equal(JSON.parse(stdout).title, 'Engineer')
  const [, expected = ''] = /```text\n(JOB_GET[\s\S]*?)```/.exec(section) ?? []
  const plain = (text: string) => text.replace(/\d{4}-\S+Z \S+ GET/, '<time> <id> GET').replaceAll(/ +/g, ' ')
  await poll(async () => /1 call/.test((await ig(['shadow', 'list'], { cwd: moved })).stdout))
  assert.equal(plain((await ig(['shadow', 'list'], { cwd: moved })).stdout), plain(expected))
  const env = { IG_COMPARE_PASSWORD: 'tester-password' }
  const [original = '', own = ''] = Object.values(origins)
  const compared = await ig(['compare', original, own, 'calls.txt', '--as', 'TESTER', '--json'], { cwd: moved, env })
  await writeFile(join(moved, 'compared.json'), compared.stdout)
  const report = (await ig(['report', '--compared', 'compared.json', '--html', 'new.html'], { cwd: moved })).stdout
  assert.match(report, /JOB_GET\.v1 +passed through +\d+ +\d of \d +TESTER/)
  assert.match(report, /TITLE_GET\.v1 +passed through +\d+ +0 of 1 +TESTER/)
  assert.match(readFileSync(join(moved, 'new.html'), 'utf8'), /<td>0 of 1<\/td>/)
})
