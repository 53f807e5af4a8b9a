/** Secret settings from files and directories (specification 27.33). */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { SecretKey } from '../../src/base/secret-key.ts'
import { defineSettings } from '../../src/model/handler-setting.ts'
import { readSettings, SettingsProblems } from '../../src/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'ig-settings-'))
const place = mkdtempSync(join(tmpdir(), 'ig-secrets-'))
for (const each of [folder, place]) after(() => rmSync(each, { recursive: true }))
const url = 'postgres://gateway:s3cret@db.example/hr'
const keys = ['a secret key of more than 32 characters', 'the key before it of more than 32 characters'] as const
const inPlace = (name: string) => join(place, name)
type Environment = Readonly<Record<string, string>>

/** As Kubernetes mounts a Secret: links to a directory that is replaced as a whole. */
mkdirSync(inPlace('..2026_11_23'))
symlinkSync('..2026_11_23', inPlace('..data'))
for (const [name, text] of [
  ['ig.database', `${url}\n`],
  ['IG_DATABASE_HANDLERS', `${url}\r\n`],
  ['ig.secretKey', keys[0]],
  ['ig.secretKey.previous', `${keys[1]}\n`],
  ['HR_PASSWORD', 'a password \n'],
] as const) {
  writeFileSync(join(place, '..2026_11_23', name), text)
  symlinkSync(join('..data', name), inPlace(name))
}

function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(folder, environment)
  } catch (error) {
    assert.ok(error instanceof SettingsProblems)
    return error.problems.map(({ path, message }) => `${path} ${message}`)
  }
  return []
}

test('27.33 every secret comes from the file of a variable, a directory as Kubernetes mounts it, or a credential', () => {
  const declared = defineSettings({ password: { variable: 'HR_PASSWORD' } })
  writeFileSync(join(folder, 'integrationGateway.properties'), 'ig.database=other.sqlite')
  const environments: readonly Environment[] = [
    { IG_SECRETS_DIRECTORY: place },
    { CREDENTIALS_DIRECTORY: place },
    {
      IG_DATABASE_FILE: inPlace('ig.database'),
      IG_DATABASE_HANDLERS_FILE: inPlace('IG_DATABASE_HANDLERS'),
      IG_SECRETKEY_FILE: inPlace('ig.secretKey'),
      IG_SECRETKEY_PREVIOUS_FILE: inPlace('ig.secretKey.previous'),
      HR_PASSWORD_FILE: inPlace('HR_PASSWORD'),
    },
  ]
  for (const environment of environments) {
    const settings = readSettings(folder, environment)
    assert.deepEqual([settings.database, settings.databaseHandlers], [url, url])
    assert.deepEqual(
      settings.secretKey?.all.map(({ id }) => id),
      keys.map((key) => new SecretKey(key).id),
    )
    assert.equal(settings.ofHandlers.value(declared.password), 'a password ', 'only the line break is removed')
    assert.doesNotMatch(inspect([...settings.given], { depth: 9 }), /s3cret|characters/)
    assert.deepEqual(
      settings.warnings.filter(({ path }) => path.startsWith('IG_')),
      [],
    )
  }
  const { database } = readSettings(folder, { IG_SECRETS_DIRECTORY: place, IG_DATABASE: 'x.sqlite' })
  assert.equal(database, join(folder, 'x.sqlite'), 'the variable overrides the file')
})

test('27.31, 27.33 a directory that is missing, a file that is too long or blank, and a previous key alone stop the start', () => {
  const away = problemsOf({ IG_SECRETS_DIRECTORY: inPlace('none') })
  assert.deepEqual(away, [`IG_SECRETS_DIRECTORY is not a directory: ${inPlace('none')}`])
  const alone = problemsOf({ IG_SECRETKEY_PREVIOUS: keys[1] })
  assert.deepEqual(alone, ['ig.secretKey is missing: ig.secretKey.previous is the key before it'])
  writeFileSync(inPlace('long'), 'x'.repeat(70_000))
  const long = problemsOf({ IG_SECRETKEY_FILE: inPlace('long') })
  assert.deepEqual(long, ['ig.secretKey is longer than 65536 bytes in IG_SECRETKEY_FILE'])
  for (const blank of ['', '\n', ' \n\n']) {
    writeFileSync(inPlace('blank'), blank)
    assert.deepEqual(problemsOf({ IG_SECRETKEY_FILE: inPlace('blank') }), [
      'ig.secretKey is empty in IG_SECRETKEY_FILE',
    ])
  }
  const folderInstead = problemsOf({ IG_DATABASE_FILE: place })
  assert.deepEqual(folderInstead, ['ig.database cannot be read from IG_DATABASE_FILE: it is a directory'])
})
