/** A role of their own for handlers, on a real PostgreSQL. */
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import type { HandlerDatabase } from '../../src/sdk.ts'
import { openStore } from '../../src/store/open-store.ts'
import { findDatabase, runOutside } from './databases.ts'
import { notes } from './store-process.ts'

export async function openRoles(t: TestContext) {
  const { url, remove } = await findDatabase('PostgreSQL').open()
  const name = new URL(url).pathname.slice(1)
  const [own, handlers] = [`${name}_gw`, `${name}_h`]
  const administer = (...statements: readonly string[]) => runOutside(url, statements.join('; '))
  await administer(
    `create role ${own} login password 'own' `,
    `create role ${handlers} login password 'handlers'`,
    `alter database ${name} owner to ${own}`,
    'revoke create on schema public from public',
    `grant create on schema public to ${own}`,
  )
  const as = (role: string, password: string) => Object.assign(new URL(url), { username: role, password }).href
  const opened: { close(): Promise<void> }[] = []
  t.after(async () => {
    for (const store of opened) await store.close()
    await administer(`alter database ${name} owner to postgres`, `drop owned by ${own}, ${handlers}`)
    await administer(`drop role ${handlers}`, `drop role ${own}`)
    await remove()
  })
  const [ownUrl, handlerUrl] = [as(own, 'own'), as(handlers, 'handlers')]
  const open = async (options: object = {}) => {
    const store = await openStore(ownUrl, { handlerUrl, ...options })
    opened.push(store)
    await store.migrate([notes, more])
    return store
  }
  return { url, own, handlers, ownUrl, handlerUrl, administer, open }
}

const more = {
  name: '0002-more',
  up: async (database: HandlerDatabase) =>
    void (await sql`create table "NUMBERED" (id bigserial primary key, text text)`.execute(database)),
}
