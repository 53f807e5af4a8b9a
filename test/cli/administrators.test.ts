/** Administrators and their tokens by `ig`, over the database, and by a session (specification 31.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { copyReference, ig } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'

forEachDatabase((database) => {
  test(`31.5 a token made over the database is another person's, and its audit entry that of a session (${database.name})`, async (t) => {
    const folder = copyReference()
    const { ask, opened } = await openTestAdmin(t, { database, folder })
    const env = { IG_DATABASE: opened.gateway.settings.database }
    const run = (...args: readonly string[]) => ig(['token', ...args], { cwd: folder, env })
    const facts = { name: 'ci', role: 'viewer', days: 3 }
    const { stdout } = await run('create', 'an operator', '--name', 'ci', '--role', 'viewer', '--days', '3', '--json')
    const { token, id } = JSON.parse(stdout)
    await ask('POST /api/tokens', { as: 'operator', body: facts })
    const entries = (await ask('GET /api/audit?action=createToken')).body.items
    const [bySession, byIg] = entries.map(
      ({ after: { expires, ...after } }: { readonly after: { readonly expires: string } }) => after,
    )
    assert.deepEqual(byIg, bySession)
    assert.deepEqual(byIg, { name: 'ci', role: 'viewer', administrator: 'an operator' })
    const asToken = async () => (await ask('GET /api/session', { headers: { authorization: `Bearer ${token}` } })).body
    assert.deepEqual([(await asToken()).name, (await asToken()).role], ['an operator', 'viewer'])
    assert.equal((await run('revoke', id)).code, 0)
    assert.equal((await asToken()).code, 'unauthenticated')
    await opened.gateway.store.administration.administrators.change('an operator', { isLocked: true })
    assert.match((await run('create', 'an operator', '--role', 'viewer', '--json')).stderr, /an operator is locked/)
  })
})
