/** The file of the last-good copy, and its settings (specification 17.15, 17.16). */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SecretKey } from '../../../src/base/secret-key.ts'
import { readCopy, writeCopy } from '../../../src/features/last-good/copy.ts'
import { openProject } from '../../../src/project/open-project.ts'
import { readSettings } from '../../../src/settings.ts'
import { copyReference } from '../../support/cli.ts'

const first = 'a first secret key of more than 32 characters'
const second = 'a second secret key of more than 32 characters'

test('27.31, 17.15 the last-good copy is read with the key before, and has the keys of session tokens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-copy-'))
  const place = (secretKey: SecretKey) => ({
    secretKey,
    lastGood: { file: join(folder, 'last-good'), maxAge: 60_000 },
    database: 'postgres://gateway@db.example/hr',
  })
  const { configuration } = await openProject(copyReference())
  const credentials = { Token: { keys: [{ id: 'one', privateKey: 'sealed', signs: 1, ends: null }] } }
  const activation = { sequence: 1, revision: 1, time: 1, note: '' }
  const cursor = { operators: 1, activations: 1 }
  const facts = {
    written: 5,
    storeId: 'one',
    cursor,
    clockOffset: 0,
    activation,
    revision: 1,
    provider: [],
    credentials,
  }
  await writeCopy(place(new SecretKey(first)), { state: '', facts, configuration, operators: [] })
  const copy = await readCopy(place(new SecretKey(second, new SecretKey(first))), 5)
  assert.deepEqual(copy.facts.credentials, credentials)
  await assert.rejects(readCopy(place(new SecretKey(second)), 5), /made with another ig\.secretKey/)
  const file = join(folder, 'last-good')
  const text = readFileSync(file, 'latin1')
  writeFileSync(file, text.replace(' last-good 2\n', ' last-good 1\n'), 'latin1')
  await assert.rejects(readCopy(place(new SecretKey(first)), 5), /is damaged/, 'of an earlier format')
  rmSync(folder, { recursive: true })
})

test('8.3, 17.15, 17.16 the copy is data/last-good of the project and at most a day old, or as the settings say', () => {
  const read = (environment: Readonly<Record<string, string>>) => readSettings('/project', environment).lastGood
  assert.deepEqual(read({}), { file: join('/project', 'data/last-good'), maxAge: 86_400_000 })
  const given = { IG_LASTGOOD_FILE: '/var/lib/ig/last-good', IG_LASTGOOD_MAXAGE: '7d' }
  assert.deepEqual(read(given), { file: '/var/lib/ig/last-good', maxAge: 7 * 86_400_000 })
})
