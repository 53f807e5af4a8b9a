/** A pipeline's way to a running gateway: docs/how-to/gitops.md as it stands (specification 31.1 to 31.5). */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, ig, serve } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'
import { mask, openShell, readTranscript } from '../support/transcript.ts'

test('31.1, 31.2, 31.3, 31.5, 17.9 every transcript of docs/how-to/gitops.md is what the commands print', async () => {
  const commands = readTranscript(readFileSync(join(import.meta.dirname, '../../docs/how-to/gitops.md'), 'utf8'))
  assert.equal(commands.length, 12)
  const folder = copyReference()
  const shell = openShell(folder)
  let origin = ''
  for (const { line, expected } of commands) {
    if (/http|^sed/.test(line) && origin === '') origin = await start(folder)
    assert.equal(mask(await shell.run(line.replace('http://127.0.0.1:8081', origin))), mask(expected), line)
  }
  assert.equal(statSync(join(folder, 'ci-token')).mode & 0o777, 0o600)
})

async function start(folder: string): Promise<string> {
  const serving = serve(['start', folder], { env: { IG_PORT: '0', IG_ADMIN_PORT: '0' } })
  const [, url = ''] = await serving.until(/administration at (http:\/\/[\d.]+:\d+)/)
  return url
}

test("31.5 a token is its administrator's, in a new file or printed once; without a place for it none is created", async () => {
  const folder = copyReference()
  const run = (line: string, input = '') => ig([...line.split(' '), '--project', folder], { cwd: folder, input })
  assert.match((await run('administrator list')).stdout, /no administrators yet/)
  const added = await run('administrator add sam --role viewer --password-stdin', 'a long sentence is a good one')
  assert.equal(added.stdout, 'sam is added with the role viewer.\n')
  const failures: Readonly<Record<string, RegExp>> = {
    'token create sam --out t': /sam has the role viewer; a token cannot have a higher one/,
    'token create kim --out t': /There is no administrator kim/,
    'token create --out t': /Name the administrator/,
    'token create sam --role viewer': /a secret is printed only to a terminal\. Name a file with --out <file>/,
    'token create sam --role viewer --out gateway.config.ts': /gateway\.config\.ts exists\. Replace it with --force/,
    'token create sam --role viewer --out none/t': /none\/t cannot be written: ENOENT/,
    'token create sam --role viewer --days 400 --out t': /days must be at most 366/,
    'token revoke none': /there is no "none": ig token list has all\./,
    'token revoke none --yes': /There is no token none/,
    'session-token revoke-key none': /there is no "none": ig session-token list-keys has all\./,
    'session-token revoke sam': /There is no operator sam/,
    'administrator add sam --password-stdin': /Administrator sam already exists/,
    'administrator add SAM --password-stdin': /Administrator SAM already exists/,
    'administrator add s\u00e4m --password-stdin': /must be 1 to 60 ASCII characters/,
  }
  for (const [line, message] of Object.entries(failures)) {
    const { code, stderr } = await run(line, 'a long sentence is a good one')
    assert.match(stderr, message, line)
    assert.equal(code, /must be/.test(stderr) ? 2 : 1, line)
  }
  assert.equal(
    (await run('token list')).stdout,
    'There are no API tokens yet. Create the first: ig token create <administrator>\n',
  )
  assert.match((await run('token create sam --role viewer --out -')).stdout, /^[\w-]{43}\n$/)
  const { token, ...facts } = JSON.parse((await run('token create sam --role viewer --json')).stdout)
  assert.deepEqual([facts.administrator, facts.name, /^[\w-]{43}$/.test(token)], ['sam', 'automation', true])
  const written = JSON.parse((await run('token create sam --name ci --role viewer --out t --json')).stdout)
  assert.equal('token' in written, false)
  assert.match(readFileSync(join(folder, 't'), 'utf8'), /^[\w-]{43}\n$/)
  assert.equal(statSync(join(folder, 't')).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
  )
  const listed = (await run('token list --json')).stdout
  for (const [out, ...force] of [[''], ['.', '--force'], ['/dev/null', '--force']] as const) {
    const line = ['token', 'create', 'sam', '--role', 'viewer', '--out', out, ...force]
    const { code, stderr } = await ig([...line, '--project', folder], { cwd: folder })
    assert.deepEqual([code, /is not the name of a file/.test(stderr)], [1, true], stderr)
  }
  assert.equal((await run('token list --json')).stdout, listed, 'nothing is made for a file that cannot be written')
  assert.equal((await run(`token revoke ${written.id} --yes`)).stdout, `The token ${written.id} is revoked.\n`)
  assert.match((await run('token list --filter name=ci')).stdout, /^\S+ +ci +sam +viewer +revoked +/m)
})

test('31.4 values of the environment show as names; without them, or with unusable ones, nothing is served', async () => {
  const folder = copyReference()
  const file = join(folder, 'gateway.config.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace("issuer: 'http://127.0.0.1:8090'", "issuer: '{env:SHOP_IDP}'"))
  const run = (verb: string, env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    ig([...verb.split(' '), '--project', folder, ...args], { env })
  const absent = await run('check', {})
  assert.deepEqual([absent.code, /the variable SHOP_IDP is not set\. Set SHOP_IDP/.test(absent.stdout)], [1, true])
  const wrong = await run('check', { SHOP_IDP: 'ldap://idp.secret.example' })
  assert.match(
    wrong.stdout,
    /oauth2ServiceApps\[0\]\.issuer must be a URL .*\{env:SHOP_IDP\} with the variables of this environment/,
  )
  assert.doesNotMatch(wrong.stdout, /secret/)
  assert.equal((await run('check', { SHOP_IDP: 'https://idp.example' })).code, 0)

  assert.equal((await run('apply', {})).code, 0)
  assert.match((await run('revision export', {})).stdout, /issuer: '\{env:SHOP_IDP\}'/)
  const { code, stderr } = await ig(['start', folder], { env: { IG_PORT: '0', IG_ADMIN_PORT: 'off' } })
  assert.deepEqual([code, /the variable SHOP_IDP is not set/.test(stderr)], [1, true])
})

forEachDatabase((database) => {
  test(`17.9 pending migrations are listed without a change, and run once (${database.name})`, async (t) => {
    const folder = copyReference()
    const place = await database.open()
    t.after(() => place.remove())
    const run = async (...args: readonly string[]) =>
      JSON.parse(
        (await ig(['migrate', '--project', folder, '--json', ...args], { env: { IG_DATABASE: place.url } })).stdout,
      )
    const pending = await run('--dry-run')
    assert.equal(pending.isDone, false)
    assert.deepEqual([pending.own[0], pending.project], ['0001-store', ['0001-key-value']])
    assert.deepEqual(await run('--dry-run'), pending)
    assert.deepEqual(await run(), { ...pending, isDone: true })
    assert.deepEqual(await run(), { isDone: true, own: [], project: [] })
  })
})
