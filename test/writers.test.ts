/** What comes from outside and is written where it is read again: settings, terminals, sources (specification 8.8, 16.10). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSettings } from '../src/settings.ts'
import { ig, makeProject } from './support/cli.ts'

const harOf = (...urls: readonly string[]) =>
  JSON.stringify({
    log: {
      entries: urls.map((url) => ({
        request: { method: 'GET', url, headers: [] },
        response: { status: 200, headers: [], content: { text: '{}', mimeType: 'application/json' } },
      })),
    },
  })

test('8.8, 16.10 a recording states no setting but the gateway path, and steers no terminal', async () => {
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
    /\n {2}curl http:\/\/127\.0\.0\.1:8080\/PSIGW\/RESTListeningConnector\/N_31M\/ECHO_2J\.v1\/echo\/x%1B\n/,
  )
  assert.match(stdout, /the gateway path "GW\\n.* is called PSIGW: it cannot be a setting/)
  const read = readSettings(join(cwd, 'made'), {})
  assert.deepEqual([[...read.given], read.warnings], [[], []])
  assert.doesNotMatch(readFileSync(join(cwd, 'made/integrationGateway.properties'), 'utf8'), /^ig\./m)
})

test('16.10 a gateway path that can be a setting is one', async () => {
  const cwd = makeProject({ 'recorded.har': harOf('http://h/HR-2.x/RESTListeningConnector/N/ECHO.v1/echo') })
  await ig(['import', 'requests', 'recorded.har', '--into', 'made'], { cwd })
  assert.deepEqual([...readSettings(join(cwd, 'made'), {}).given.keys()], ['ig.gatewayPath'])
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
