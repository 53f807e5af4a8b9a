/** The key that encrypts the secrets of the store, and its rotation (specification 27.31, 27.32). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SecretKey, sealedBy } from '../../src/base/secret-key.ts'
import { openStore } from '../../src/store/open-store.ts'
import { copyReference, ig } from '../support/cli.ts'
import { forEachDatabase, runOutside } from '../support/databases.ts'
import { runVerb } from '../support/run-verb.ts'

const first = 'a first secret key of more than 32 characters'
const second = 'a second secret key of more than 32 characters'
const [idOfFirst, idOfSecond] = [new SecretKey(first).id, new SecretKey(second).id]
type Environment = Readonly<Record<string, string>>

forEachDatabase((database) => {
  test(`27.31, 27.32 secrets are encrypted with a new key step by step, and no process starts that cannot read them (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const folder = copyReference()
    const run = (args: readonly string[], env: Environment = {}) =>
      runVerb(args, { cwd: folder, env: { IG_DATABASE: url, IG_SECRETKEY: '', ...env }, input: '' })
    const succeed = async (args: readonly string[], env: Environment = {}) => {
      const { code, stdout, stderr } = await run(args, env)
      assert.equal(code, 0, stderr)
      return stdout
    }
    const rotate = ['secret-key', 'rotate']
    const one = { IG_SECRETKEY: first }
    const two = { IG_SECRETKEY: second, IG_SECRETKEY_PREVIOUS: first }
    assert.match(
      (await run(['session-token', 'rotate'])).stderr,
      /ig\.secretKey is not set\. It encrypts the keys of session tokens and authenticator apps in the database/,
    )
    assert.equal(await succeed(['secret-key', 'status']), 'ig.secretKey: not set\n')
    await succeed(['session-token', 'rotate'], one)
    await succeed(['session-token', 'rotate'], one)
    assert.equal(
      await succeed(['secret-key', 'status'], one),
      `ig.secretKey: ${idOfFirst}\n2 encrypted with ${idOfFirst}\n`,
    )
    assert.match((await run(rotate)).stderr, /ig\.secretKey is not set/)
    const done = '1 of 2\n2 of 2\n2 secrets are now encrypted with ig.secretKey.\n'
    assert.equal(await succeed(rotate, one), 'Every secret is encrypted with ig.secretKey.\n')

    await succeed(['session-token', 'rotate'], two) // as after an interruption: some are done, some are not
    const { current, secrets } = JSON.parse(await succeed(['secret-key', 'status', '--json'], two))
    assert.equal(current, idOfSecond)
    const counts = new Map(secrets.map((each: { key: string; count: number }) => [each.key, each.count]))
    assert.deepEqual([counts.get(idOfSecond), counts.get(idOfFirst)], [1, 2])
    assert.match((await run(['session-token', 'rotate'], one)).stderr, new RegExp(`with the key ${idOfSecond}, and`))
    const swapped = { IG_SECRETKEY: first, IG_SECRETKEY_PREVIOUS: second }
    await succeed(['session-token', 'list-keys'], swapped)
    const keep =
      'Keep ig.secretKey.previous for ig.idempotency.lifetime: stored responses to Idempotency-Keys need it.\n'
    assert.equal(await succeed(rotate, two), `${done}${keep}`)

    const base = { IG_DATABASE: url, IG_PORT: '0', IG_ADMIN_PORT: 'off' }
    for (const [env, state] of [
      [one, `ig\\.secretKey is another one \\(${idOfFirst}\\)`],
      [{}, 'ig\\.secretKey is not set'],
    ] as const) {
      const start = await ig(['start', folder, '--workers', '1'], { env: { ...base, IG_SECRETKEY: '', ...env } })
      assert.equal(start.code, 1)
      const message = `encrypted with the key ${idOfSecond}, and ${state}\\. Set it as ig\\.secretKey, or`
      assert.match(start.stderr, new RegExp(message))
      assert.doesNotMatch(start.stderr, /of more than 32/)
    }
    const tried = await run(['try', 'GET', '/ECHO.v1/echo/x', '--as', 'DEMO'])
    assert.equal(tried.code, 0, tried.stderr)

    const store = await openStore(url)
    t.after(() => store.close())
    const keys = await runOutside(url, 'select private_key from ig_session_key')
    assert.deepEqual(new Set(keys.map(({ private_key }) => sealedBy(String(private_key)))), new Set([idOfSecond]))
    const entries = await store.administration.audit.list({ limit: 20 })
    assert.equal(entries.filter(({ action }) => action === 'rotateSecretKey').length, 1)
  })
})
