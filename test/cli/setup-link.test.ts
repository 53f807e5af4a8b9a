/** Where the one-time link of the first administrator goes (specification 18.5). */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { invite, inviteFirst } from '../../src/admin/invitation.ts'
import { digestSecret } from '../../src/admin/secrets.ts'
import { type Output, offerSetupLink, removeSetupLink } from '../../src/admin/setup-link.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { copyReference, ig, makeProject } from '../support/cli.ts'
import { forEachDatabase } from '../support/databases.ts'

const url = 'http://127.0.0.1:8081'
/** The gateway's clock has parts of a millisecond. */
const now = Date.UTC(2026, 0, 1) + 0.25
const day = 24 * 3_600_000
const terminal = { isTTY: true }
const journal = {}
const administrator = { name: 'kim', role: 'administrator', passwordHash: '$', created: Math.floor(now) } as const

const tokenOf = (text = '') => /\/setup#([\w-]{43})$/.exec(text.trim())?.[1] ?? ''

forEachDatabase((database) => {
  const on = `(${database.name})`

  async function open(t: TestContext) {
    const folder = makeProject({})
    const opened = await database.open()
    const store = await openStore(opened.url)
    t.after(async () => {
      await store.close()
      await opened.remove()
    })
    const file = join(folder, 'data/setup-link')
    const offer = (output: Output, at = now, from: Store = store) =>
      offerSetupLink({ store: from, folder, url, output, now: at })
    const isOpen = (token: string, at = now) => store.administration.invitations.isOpen(digestSecret(token), at)
    return { store, folder, file, offer, isOpen }
  }

  test(`18.5 a terminal gets the link itself, and the next start says that it was already printed ${on}`, async (t) => {
    const { offer, file, isOpen } = await open(t)
    const line = await offer(terminal)
    assert.match(
      line ?? '',
      /^create the first administrator with this link, which works once and expires in a day: http:/,
    )
    assert.ok(await isOpen(tokenOf(line)))
    assert.equal(existsSync(file), false)
    for (const output of [terminal, journal]) {
      assert.equal(
        await offer(output),
        'a link to create the first administrator exists and expires at 2026-01-02T00:00:00.000Z. To replace it, run ig administrator invite',
      )
    }
    const next = tokenOf(await offer(terminal, now + day + 0.25)) // a gateway's clock has microseconds
    assert.ok(await isOpen(next, now + day + 0.5), 'one that is over has a successor')
  })

  test(`18.5 a file or a journal gets the name of a file that only its owner can read, and all starts share the link ${on}`, async (t) => {
    const { offer, file, isOpen, store } = await open(t)
    const line = `create the first administrator with the link in ${file}, which works once and expires in a day`
    assert.equal(await offer(journal), line)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const token = tokenOf(readFileSync(file, 'utf8'))
    for (const output of [journal, terminal]) assert.equal(await offer(output), line)
    assert.equal(tokenOf(readFileSync(file, 'utf8')), token)
    assert.ok(await isOpen(token))
    await store.administration.invitations.accept(digestSecret(token), administrator)
    assert.equal(await offer(journal), undefined)
    assert.equal(existsSync(file), false)
  })

  test(`18.5 concurrent starts create one link ${on}`, async (t) => {
    const { offer } = await open(t)
    const lines = await Promise.all(Array.from({ length: 5 }, () => offer(terminal)))
    assert.equal(lines.filter((line) => tokenOf(line) !== '').length, 1)
  })

  test(`18.5 an existing link or file of that name is neither followed nor left readable ${on}`, async (t) => {
    const { offer, file, folder } = await open(t)
    const other = join(folder, 'other')
    writeFileSync(other, 'of another program')
    mkdirSync(join(folder, 'data'))
    symlinkSync(other, file)
    await offer(journal)
    assert.equal(readFileSync(other, 'utf8'), 'of another program')
    assert.notEqual(tokenOf(readFileSync(file, 'utf8')), '')
    chmodSync(file, 0o644)
    await offer(journal)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    removeSetupLink(folder)
    assert.equal(existsSync(file), false)
  })
})

test('18.5, 31.5 ig administrator invite replaces the link, as long as there is no administrator', async () => {
  const folder = copyReference()
  const invite = (args: readonly string[], port = '8081') =>
    ig(['administrator', 'invite', ...args], { cwd: folder, env: { IG_ADMIN_PORT: port } })
  const printed = tokenOf((await invite(['--out', '-'])).stdout)
  assert.match((await invite([])).stderr, /a secret is printed only to a terminal/)
  const written = await invite(['--out', 'data/setup-link'])
  const words = 'The link works once and expires in a day.\nSee data/setup-link.\n'
  assert.deepEqual([written.code, written.stdout], [0, words])
  const file = join(folder, 'data/setup-link')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const token = tokenOf(readFileSync(file, 'utf8'))
  const store = await openStore(join(folder, 'data/gateway.sqlite'))
  try {
    const { invitations } = store.administration
    const isOpen = (secret: string) => invitations.isOpen(digestSecret(secret), Date.now())
    assert.deepEqual([await isOpen(printed), await isOpen(token)], [false, true])
    assert.match(
      (await offerSetupLink({ store, folder, url, output: journal, now: Date.now() })) ?? '',
      /with the link in/,
    )
    await invitations.accept(digestSecret(token), { ...administrator, created: Date.now() })
  } finally {
    await store.close()
  }
  const failures: Readonly<Record<string, string>> = {
    8081: `Administrators exist already. They add others in the console: ${url}`,
    0: 'ig.admin.port is 0, so the link would have no port. Set a fixed port.',
    off: 'Administration is off (ig.admin.port=off). Set a port to use it.',
  }
  for (const [port, why] of Object.entries(failures)) {
    const { code, stderr } = await invite(['--out', '-'], port)
    assert.deepEqual([code, stderr], [1, `ig: The request conflicts with the current state. ${why}\n`])
  }
})

test('18.5 once there is an administrator, no link is made and none creates another, however it came about', async () => {
  const folder = copyReference()
  const store = await openStore(join(folder, 'data/gateway.sqlite'))
  try {
    const { invitations, administrators } = store.administration
    const made = await inviteFirst(store, url, Date.now())
    assert.ok(made)
    assert.equal(await administrators.add({ ...administrator, created: Date.now() }), true)
    assert.equal(await inviteFirst(store, url, Date.now()), undefined)
    await assert.rejects(invite(store, url, Date.now()), /Administrators exist already/)
    assert.equal(await invitations.accept(made.digest, { ...administrator, name: 'eve', created: Date.now() }), false)
    assert.deepEqual(
      (await administrators.list()).map(({ name }) => name),
      [administrator.name],
    )
  } finally {
    await store.close()
  }
})
