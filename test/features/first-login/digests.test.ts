/** Passwords of the original at a real gateway, on both databases (specification 37.6 to 37.8). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digests } from '../../../src/features/first-login/digests.ts'
import { verifyOperatorPassword, wrapDigest } from '../../../src/verification/basic/old-password.ts'
import { basic } from '../../support/client.ts'
import { forEachDatabase } from '../../support/databases.ts'
import { openReference } from '../../support/gateway.ts'
import { poll } from '../../support/poll.ts'

const digest = 'uXmFVrdBvv293L9kDR3VnRmx4ZM='
const old = {
  wrappedDigest: await wrapDigest(digests, digest),
  passwordSha1Utf16le: digest,
  permissionLists: ['REFERENCE_ALL'],
}

test('37.6 the digest is the SHA-1 of UTF-16LE, in base64', async () => {
  assert.equal(await verifyOperatorPassword(old.wrappedDigest, 'hashcat'), true)
  assert.equal(await verifyOperatorPassword(old.wrappedDigest, 'Hashcat'), false)
  assert.equal(await verifyOperatorPassword(old.wrappedDigest, digest), false)
})

forEachDatabase((database) => {
  test(`37.7, 37.8 an old password works, and the first call with it replaces its hash (${database.name})`, async (t) => {
    const it = await openReference({ database })
    t.after(() => it.close())
    const { store, operators } = it.gateway
    await store.operators.import([
      { id: 'OLD', ...old },
      { id: 'SHUT', ...old, isLocked: true },
    ])
    await poll(() => operators.has('OLD'))
    const call = (id: string, password: string) => it.call('GET METADATA_BASIC.v1/', { headers: basic(id, password) })
    for (const [id, password] of [
      ['OLD', 'Hashcat'],
      ['OLD', digest],
      ['OLD', ''],
      ['SHUT', 'hashcat'],
    ] as const)
      assert.equal((await call(id, password)).status, 401)
    assert.equal((await store.operators.find('OLD'))?.passwordHash, old.wrappedDigest)

    const first = await call('OLD', 'hashcat')
    assert.deepEqual([first.status, JSON.parse(first.text).currentUser], [200, 'OLD'])
    await poll(() => operators.get('OLD')?.passwordHash?.startsWith('$argon2id$'))
    assert.equal((await call('OLD', 'hashcat')).status, 200)
    assert.equal((await call('OLD', digest)).status, 401)
    assert.equal((await store.operators.find('SHUT'))?.passwordHash, old.wrappedDigest)
    assert.deepEqual(await store.databases.main.reader.selectFrom('ig_session_generation').selectAll().execute(), [])
  })
})
