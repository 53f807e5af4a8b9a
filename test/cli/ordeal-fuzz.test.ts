/** Short form of the ordeal `fuzz`, in one process: `npm run ordeal -- fuzz` runs all of it, with workers. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openAdministration, openFuzzIssuer, type Subject } from '../ordeal/fuzz/subject.ts'
import { fuzzOnce, judgeFuzz } from '../ordeal/fuzz.ts'
import { openRandom } from '../ordeal/ordeal.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findDatabase, type TestDatabase } from '../support/databases.ts'
import { patience } from '../support/patience.ts'

const sqlite = findDatabase('SQLite')

test('1.5, 3.11, 3.18, 4.15, 5.8, 7.5, 18.8 hostile targets, bodies, tokens, streams and administration calls get a response, and no rights that they do not have', async (t) => {
  const issuer = await openFuzzIssuer()
  t.after(() => issuer.stop())
  let file = ''
  const database: TestDatabase = {
    name: 'SQLite',
    async open() {
      const place = await sqlite.open()
      file = place.url
      return place
    },
  }
  const { opened, admin, observations } = await openTestAdmin(t, {
    database,
    properties: {
      'ig.AuthorizationServer': 'SAMPLE_ISSUER',
      'ig.JSONWebKey': issuer.jwksUrl,
      'ig.limits.shutdownIdle': '1ms',
    },
    configure: (configuration) => ({
      ...configuration,
      oauth2ServiceApps: configuration.oauth2ServiceApps.map((app) => ({ ...app, issuer: issuer.issuer })),
    }),
  })
  const subject: Subject = {
    url: opened.url,
    adminUrl: admin.url,
    issuer,
    ...(await openAdministration(admin.url)),
    found: [],
    async query(sql) {
      using reader = new DatabaseSync(file, { timeout: patience })
      return reader.prepare(sql).all()
    },
    failures: () => observations.filter((each) => each.kind === 'event' && each.level === 'error').length,
  }
  const tally = await fuzzOnce(subject, 120, openRandom(1))
  assert.deepEqual(judgeFuzz(tally, 1), [], subject.found.join('\n'))
})

test('1.5 the ordeal of hostile callers detects what it counts, and too few calls', () => {
  const counts = [
    'targets',
    'bodies',
    'tokens',
    'streams',
    'adminCalls',
    'served',
    'stored',
    'refused',
    'accepted',
    'rejected',
  ]
  const others = ['streamReplies', 'allowed', 'changed', 'forbidden', 'transactions']
  const faults = ['unanswered', 'serverErrors', 'wrongOperator', 'smuggled', 'mixedUp', 'mistaken', 'trespassed']
  const stored = ['unacknowledged', 'lost', 'crashes']
  const all = (names: readonly string[], value: number) => Object.fromEntries(names.map((name) => [name, value]))
  const sound = { ...all([...counts, ...others], 1000), ...all([...faults, ...stored], 0) }
  assert.deepEqual(judgeFuzz(sound, 1), [])
  for (const name of [...faults, ...stored]) assert.equal(judgeFuzz({ ...sound, [name]: 1 }, 1).length, 1, name)
  for (const name of [...counts, ...others]) assert.equal(judgeFuzz({ ...sound, [name]: 0 }, 1).length, 1, name)
  assert.ok(judgeFuzz({}, 1).length > 20)
})
