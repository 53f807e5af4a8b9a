/** `ig.secretKey` where the store has secrets to keep (specification 27.6, 34.21, 8.9). */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyReference, ig, makeProject, serve } from '../support/cli.ts'
import { clusterFiles } from '../support/cluster-project.ts'
import { forEachDatabase } from '../support/databases.ts'

const without = { IG_SECRETKEY: '' }
const sentence =
  /ig\.secretKey is not set\. It encrypts the keys of session tokens and authenticator apps in the database: make one with `openssl rand -base64 32`, and set it as IG_SECRETKEY, or in the file that IG_SECRETKEY_FILE names/

forEachDatabase((database) => {
  test(`27.6 with Token operations ig start, ig check, ig apply and a running gateway refuse a configuration without ig.secretKey (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const env = { ...without, IG_DATABASE: url }
    const folder = copyReference()
    for (const args of [
      ['start', folder, '--port', '0', '--workers', '1'],
      ['start', folder, '--port', '0', '--workers', '2'],
      ['check', folder],
      ['apply', folder],
    ]) {
      const { code, stdout, stderr } = await ig(args, { env })
      assert.equal(code, 1, args.join(' '))
      assert.match(stdout + stderr, sentence, args.join(' '))
    }

    const config = join(folder, 'gateway.config.ts')
    const text = readFileSync(config, 'utf8')
    writeFileSync(config, text.replaceAll("verification: 'Token'", "verification: 'Basic'"))
    const serving = serve(['start', folder, '--port', '0', '--workers', '1'], { env })
    await serving.until(/is active/)
    writeFileSync(config, text)
    // With a key, which the running gateway lacks
    const applied = await ig(['apply', folder, '--force'], { env: { IG_DATABASE: url } })
    assert.match(
      applied.stderr,
      /is not served by every process\. Revision 1 is active again.*\n.*refuses it: ig\.secretKey is not set/,
    )
    await ig(['apply', folder, '--force', '--no-wait'], { env: { IG_DATABASE: url } })
    await serving.until(/"event":"revisionRefused".*ig\.secretKey is not set\. It encrypts/)
    await serving.stop()
    const again = await ig(['start', folder, '--port', '0', '--workers', '1'], { env })
    assert.equal(again.code, 1)
    assert.match(again.stderr, sentence)
    assert.match(again.stderr, /^The settings have an error:/m)
    assert.doesNotMatch(again.stderr, /cannot be served here/)
  })
})

test('27.30 ig session-token makes no key without ig.secretKey, and says what to set', async () => {
  const options = { env: without, cwd: copyReference() }
  await ig(['operator', 'add', 'DEMO', '--no-password'], options)
  for (const verb of [['create', 'DEMO'], ['rotate']]) {
    const { code, stdout, stderr } = await ig(['session-token', ...verb], options)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, /unexpected/)
  }
})

test('23.3 ig start --new makes no database while a key is missing', async () => {
  const secondFactor = { IG_ADMIN_PORT: '0', IG_ADMIN_SECONDFACTOR: 'required' }
  for (const [folder, env] of [
    [copyReference(), without],
    [makeProject(clusterFiles), { ...without, ...secondFactor }],
  ] as const)
    for (const workers of ['1', '2']) {
      const { code, stderr } = await ig(['start', folder, '--port', '0', '--new', '--workers', workers], { env })
      assert.equal(code, 1)
      assert.match(stderr, sentence)
      assert.ok(!existsSync(join(folder, 'data/gateway.sqlite')))
    }
})

test('34.21 ig start is refused without ig.secretKey where second factors are required', async () => {
  const folder = makeProject(clusterFiles)
  const env = { ...without, IG_ADMIN_PORT: '0', IG_ADMIN_SECONDFACTOR: 'required' }
  const { code, stderr } = await ig(['start', folder, '--port', '0', '--workers', '1'], { env })
  assert.equal(code, 1)
  assert.match(stderr, sentence)
})

test('8.9, 27.6 ig dev makes a key, which outlives it and other commands read, but not ig start', async () => {
  const folder = copyReference()
  const options = { env: { ...without, IG_SAMPLEISSUER_PORT: '0' } }
  const token = async () => (await ig(['session-token', 'create', 'DEMO', '--project', folder], options)).stdout.trim()
  const call = async (sent: string) => {
    const serving = serve(['dev', folder, '--port', '0'], options)
    const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
    await serving.until(/Ctrl-C stops/)
    const psToken = sent || (await token())
    const { status } = await fetch(`${base}/METADATA_TOKEN.v1`, { headers: { PS_TOKEN: psToken } })
    await serving.stop()
    return [status, psToken] as const
  }
  const [status, sent] = await call('')
  assert.deepEqual([status, (await call(sent))[0]], [200, 200])
  const file = join(folder, 'data/development-secret-key')
  assert.deepEqual([statSync(file).mode & 0o777, readFileSync(file, 'utf8').length], [0o600, 44])
  const start = await ig(['start', folder, '--port', '0', '--workers', '1'], options)
  assert.equal(start.code, 1)
  assert.match(start.stderr, /encrypted with the key [0-9a-f]{8}, and ig\.secretKey is not set/)
})
