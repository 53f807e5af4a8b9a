/** A migration of the project that is killed half way (specification 9.15). */
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve } from '../support/cli.ts'
import { forEachDatabase, runOutside } from '../support/databases.ts'

const project = join(import.meta.dirname, '../fixtures/upgrade/project')

forEachDatabase((database) => {
  test(`9.15 a migration that is killed half way leaves nothing, and the next start resumes (${database.name})`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ig-killed-'))
    const { url, remove } = await database.open()
    t.after(async () => {
      await remove()
      rmSync(folder, { recursive: true, force: true })
    })
    cpSync(project, folder, { recursive: true })
    const migrate = (name: string, rest: string) =>
      writeFileSync(
        join(folder, 'migrations', name),
        `export async function up(database) {
  await database.insertInto('STORED_VALUE').values({ OWNER: '${name}', VALUE: '${name}' }).execute()
  ${rest}
}`,
      )
    migrate('0002-two.ts', '')
    migrate('0003-three.ts', "console.error('migrating')\n  await new Promise(() => setInterval(() => {}, 1000))")
    const env = { IG_DATABASE: url, IG_ADMIN_PORT: 'off', IG_MONITOR: 'off' }
    const start = () => serve(['start', folder, '--port', '0', '--workers', '1'], { env })
    const killed = start()
    await killed.until(/migrating/)
    killed.process.kill('SIGKILL')
    await killed.ended
    migrate('0003-three.ts', '')
    const resumed = start()
    await resumed.until(/started|Serving/)
    const rows = await runOutside(url, 'select "OWNER" as owner from "STORED_VALUE"')
    assert.deepEqual(rows.map(({ owner }) => owner).sort(), ['0002-two.ts', '0003-three.ts'])
    resumed.process.kill('SIGTERM')
    await resumed.ended
  })
})
