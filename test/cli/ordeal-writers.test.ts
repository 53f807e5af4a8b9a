/** What comes from outside and is written where it is read again: settings, terminals, sources (specification 8.8, 16.10). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { importOpenApi } from '../../src/moving/import/openapi.ts'
import { readSettings } from '../../src/settings.ts'
import { runOrdeal } from '../ordeal/ordeal.ts'
import { tryWriters, writers, type writersByName } from '../ordeal/writers.ts'
import { anyCharacter } from '../support/any-character.ts'
import { ig, makeProject } from '../support/cli.ts'
import { hostilePieces } from '../support/hostile.ts'
import { findOrder, readModule, readProperties, readWords } from '../support/read-back.ts'

const harOf = (...urls: readonly string[]) =>
  JSON.stringify({
    log: {
      entries: urls.map((url) => ({
        request: { method: 'GET', url, headers: [] },
        response: { status: 200, headers: [], content: { text: '{}', mimeType: 'application/json' } },
      })),
    },
  })

test('8.8, 16.10 a recording sets nothing but the gateway path, and controls no terminal', async () => {
  const lines = ['ig.port=1', 'ig.messageLog.filename=/tmp/elsewhere', 'ig.JSONWebKey=http://127.0.0.1/keys']
  const gatewayPath = `GW${lines.map((line) => encodeURIComponent(`\n${line}`)).join('')}%1b[2J%c2%9b31m`
  const cwd = makeProject({
    'recorded.har': harOf(`http://h/${gatewayPath}/RESTListeningConnector/N%1b[31m/ECHO%1b[2J.v1/echo/x%1b`),
  })
  const { code, stdout, stderr } = await ig(['import', 'requests', 'recorded.har', '--into', 'made'], { cwd })
  assert.deepEqual([code, stderr], [0, ''])
  assert.doesNotMatch(stdout, steering)
  assert.match(
    stdout,
    /\n {2}curl -u DEMO http:\/\/127\.0\.0\.1:8080\/PSIGW\/RESTListeningConnector\/N_31M\/ECHO_2J\.v1\/echo\/x%1B\n/,
  )
  assert.match(stdout, /the gateway path is PSIGW, also for the URLs below "GW%0A.*: a gateway has one/)
  const read = readSettings(join(cwd, 'made'), {})
  assert.deepEqual([[...read.given], read.warnings], [[], []])
  assert.doesNotMatch(readFileSync(join(cwd, 'made/integrationGateway.properties'), 'utf8'), /^ig\./m)
})

test('16.10 a valid gateway path becomes a setting', async () => {
  const cwd = makeProject({ 'recorded.har': harOf('http://h/HR-2.x/RESTListeningConnector/N/ECHO.v1/echo') })
  await ig(['import', 'requests', 'recorded.har', '--into', 'made'], { cwd })
  assert.deepEqual([...readSettings(join(cwd, 'made'), {}).given.keys()], ['ig.gatewayPath'])
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

test('16.9 a path of a description that names no operation is reported with its location', () => {
  const get = { responses: { 200: {} } }
  const { notices } = importOpenApi({ openapi: '3.1.0', paths: { '/a/RESTListeningConnector/x': { get } } })
  assert.deepEqual(notices, [
    {
      path: 'GET /a/RESTListeningConnector/x',
      message: 'is left out: it has no <node>/<operation>.v<number> after RESTListeningConnector',
    },
  ])
})

const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostilePieces), fc.string({ unit: anyCharacter, maxLength: 4 })), { maxLength: 6 })
  .map((pieces) => pieces.join(''))

test('8.8, 16.10 everything that is written is read back unchanged, and nothing else', () => {
  const holds = (texts: readonly string[]) => assert.deepEqual(tryWriters(texts).escapes, [])
  fc.assert(fc.property(fc.array(hostile, { minLength: 10, maxLength: 10 }), holds), {
    numRuns: 25,
    endOnFailure: true,
  })
})

test('8.8 the ordeal of hostile texts, in short', async () => {
  const { tally, done } = await runOrdeal(writers, { trials: 1 })
  assert.deepEqual(writers.judge(tally, done), [])
})

/** As writers were that did not escape. */
const naive: typeof writersByName = {
  properties(texts, report) {
    for (const text of texts) if (readProperties(`a=${text}`).a !== text) report('', text)
    return texts.length
  },
  typescript(texts, report) {
    for (const text of texts) {
      try {
        if (readModule(`export default '${text}'`).default !== text) report('', text)
      } catch {
        report('', text)
      }
    }
    return texts.length
  },
  terminal(texts, report) {
    for (const text of texts) if (findOrder(text)) report('', text)
    return texts.length
  },
  shell(texts, report) {
    const words = texts.map((text) => text.toWellFormed().replace(/[\0'$`()&|;<>]/g, ''))
    const read = readWords(words.map((word) => `"${word}"`))
    for (const [at, word] of words.entries()) if (read[at] !== word) report('', word)
    return words.length
  },
}

test('8.8 the readers of the ordeal detect what a writer does not escape', () => {
  const texts = fc.sample(hostile, { numRuns: 200, seed: 1 })
  for (const [name, writer] of Object.entries(naive)) {
    assert.ok(tryWriters(texts, { [name]: writer }).escapes.length > 20, name)
  }
})
