/** Recovery of second factors by the command line, and their keys under ig.secretKey (specification 34.21, 34.25). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findStep, makeTotp, sealTotp } from '../../src/admin/sign-in/totp.ts'
import { SecretKey, sealedBy } from '../../src/base/secret-key.ts'
import { openStore } from '../../src/store/open-store.ts'
import { copyReference } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'
import { runVerb } from '../support/run-verb.ts'
import { totpOf } from '../support/totp.ts'

const first = 'a first secret key of more than 32 characters'
const second = 'a second secret key of more than 32 characters'

forEachDatabase((database) => {
  test(`34.21, 34.25 ig secret-key and ig administrator reset-factors work on second factors (${database.name})`, async (t) => {
    const { url, remove } = await database.open()
    t.after(remove)
    const folder = copyReference()
    const run = (line: string, env: Readonly<Record<string, string>> = {}, input = '') =>
      runVerb(line.split(' '), { cwd: folder, env: { IG_DATABASE: url, IG_SECRETKEY: '', ...env }, input })
    await run('administrator add kim --password-stdin', {}, 'a long sentence is a good one\n')
    const store = await openStore(url)
    t.after(() => store.close())
    const { factors, audit } = store.administration
    const { secret } = await makeTotp('kim')
    const now = Date.now()
    const challenge = { digest: 'c', administrator: 'kim', content: '{}', expires: now + 60_000 }
    await factors.ask(challenge, now)
    const sealed = sealTotp(new SecretKey(first), 'one', secret)
    const shared = { administrator: 'kim', name: 'phone', counter: 0, created: now, used: undefined }
    const by = { challenge: 'c', session: '', codes: ['a', 'b'] }
    assert.ok(await factors.add({ id: 'one', kind: 'totp', secret: sealed, ...shared }, by))
    assert.equal(await factors.add({ id: 'two', kind: 'totp', secret: sealed, ...shared }, by), false, 'used up')

    const lost = await run('secret-key rotate', { IG_SECRETKEY: second })
    assert.match(lost.stderr, /encrypted with the key \w{8}, and ig\.secretKey is another one/)
    const rotated = await run('secret-key rotate', { IG_SECRETKEY: second, IG_SECRETKEY_PREVIOUS: first })
    assert.match(
      rotated.stdout,
      /^1 of 1\nOne secret is now encrypted with ig\.secretKey\.\nKeep ig\.secretKey\.previous/,
    )
    const [kept] = await factors.list('kim')
    assert.ok(kept)
    assert.equal(sealedBy(kept.secret), new SecretKey(second).id)
    const code = totpOf(secret, now)
    assert.equal(await findStep(kept, code, new SecretKey(second), now), Math.floor(now / 30_000))
    await assert.rejects(findStep(kept, code, undefined, now), /it is encrypted, and ig\.secretKey/)

    const reset = await run('administrator reset-factors kim --as sam --yes')
    assert.match(reset.stdout, /^kim now signs in with the password alone\./)
    assert.deepEqual([await factors.list('kim'), await factors.countCodes('kim')], [[], 0])
    for (const name of ['kim', 'nobody'])
      assert.match((await run(`administrator reset-factors ${name} --yes`)).stderr, /There is no second factor of/)
    const entries = await audit.list({ action: 'resetSecondFactors', limit: 10 })
    assert.deepEqual(
      entries.map(({ actor, via, subject, before }) => [actor, via, subject, before]),
      [['sam', 'command line', 'kim', { secondFactors: ['totp'] }]],
    )
  })
})
