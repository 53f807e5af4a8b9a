/** The verbs of `ig` with operations without a version, below a gateway path of two segments (specification 1.14, 2.35). */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ig, makeProject, serve } from '../support/cli.ts'

const ok = { 200: { description: 'ok', content: { 'application/json': { example: { id: 7 } } } } }
const id = { name: 'requestId', in: 'path', required: true, schema: { type: 'integer' } }
const document = {
  openapi: '3.1.0',
  info: { title: 'Absence' },
  servers: [{ url: 'https://hr.example.com/SSCDEV/PSIGW/RESTListeningConnector/PSFT_HR' }],
  security: [{ basic: [] }],
  components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
  paths: {
    '/absence/request/createabsence': { post: { responses: ok } },
    '/absence/request/{requestId}': { get: { parameters: [id], responses: ok } },
  },
}

test('1.14, 2.35, 15.3, 15.4, 15.5, 15.7 the verbs take its id and its URL', async () => {
  const cwd = makeProject({ 'absence.json': JSON.stringify(document) })
  const made = await ig(['import', 'openapi', 'absence.json', '--into', 'made'], { cwd })
  assert.match(made.stdout, /^ABSENCE_GET +Basic +request\/\{requestId\}/m)
  assert.match(made.stdout, /curl -u DEMO \S+\/SSCDEV\/PSIGW\/RESTListeningConnector\/PSFT_HR\/absence\/request\/\d+$/m)
  const project = join(cwd, 'made')
  const ask = (...args: readonly string[]) => ig([...args, '--project', project])
  const built = await ask('template', 'build', 'ABSENCE_GET', '1', 'requestId=7')
  assert.deepEqual([built.code, built.stdout], [0, '/absence/request/7\n'])
  const matched = await ask('template', 'match', 'ABSENCE_GET', '/absence/request/7')
  assert.match(matched.stdout, /template 1, requestId=7/)
  const serving = serve(['dev', project, '--port', '0', '--issuer-port', '0'])
  const [, base = ''] = await serving.until(/Gateway +(http:\S+)/)
  assert.match(base, /\/SSCDEV\/PSIGW\/RESTListeningConnector\/PSFT_HR$/)
  assert.equal((await fetch(`${base}/absence/request/7`)).status, 401)
  const explained = await ask('explain', 'GET /absence/request/7', '--as', 'DEMO')
  assert.match(
    explained.stdout,
    /^Request +GET \/SSCDEV\/PSIGW\/RESTListeningConnector\/PSFT_HR\/absence\/request\/7$/m,
  )
  assert.match(explained.stdout, /^operation +passed +ABSENCE_GET of service /m)
  const wrong = await ask('explain', 'GET /absence.v1/request/7', '--as', 'DEMO')
  assert.match(wrong.stdout, /"absence\.v1" has a version, which the URLs of absence do not have\. Right would be/)
  const can = await ask('can', 'DEMO', 'ABSENCE_POST')
  assert.match(can.stdout, /^yes: DEMO may call ABSENCE_POST: granted by IMPORTED_ALL$/m)
  const described = await ig(['describe', 'openapi', project])
  assert.deepEqual(Object.keys(JSON.parse(described.stdout).paths).sort(), Object.keys(document.paths))
  const { stdout } = await ask('healthcheck', new URL(base).origin)
  assert.match(stdout, /ABSENCE_GET +\/absence\/request\/\d+/)
  await serving.stop('SIGINT')
})
