/** Adds a mode of verification to a copy of the sources, and asks every folder that must have it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/cli.ts'

const row = `
  ApiKey: {
    meaning: 'API key of an operator',
    words: 'an API key',
    strength: 1,
    refusal: 'basicRejected',
    header: 'x-api-key',
    variable: 'IG_HEALTHCHECK_API_KEY',
    securitySchemes: () => ({ apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }),
    curl: ({ token = '$KEY' } = {}) => \`-H "X-API-Key: \${token}"\`,
  },
  ApiKeySSL: { overTls: 'ApiKey' },
`

const file = `
import { Refusal } from '../model/refusal.ts'
import type { Verifier } from './verifier.ts'

const rejected = (reason: string) => new Refusal('basicRejected', \`Authentication by API key failed: \${reason}.\`)

export const apiKey: Verifier = {
  verify({ headers }, _operation, _catalog, operators) {
    const operator = operators.get(String(headers['x-api-key']))
    if (operator) return operator
    throw rejected('no operator has it')
  },
  rejected,
}
`

const project = {
  'project/handlers/keyed.ts': `
import { Answer, type Handler } from 'integration-gateway'

export class Keyed implements Handler {
  onRequest() {
    return new Answer(200, 'keyed')
  }
}
`,
  'project/gateway.config.ts': `
const operation = { service: 'KEYS', method: 'GET', uriTemplates: ['/'], handler: 'handlers/keyed.ts#Keyed' }

export default {
  nodes: [{ name: 'NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'DEMO' }],
  services: [{ name: 'KEYS' }],
  operations: [
    { ...operation, name: 'KEYED', verification: 'ApiKey' },
    { ...operation, name: 'TLS_KEYED', verification: 'ApiKeySSL' },
  ],
  permissionLists: [{ name: 'ALL', services: ['KEYS'] }],
}
export const sampleOperators = [
  { id: 'DEMO', password: 'demo-password', email: 'demo@example.com', permissionLists: ['ALL'] },
]
`,
  'project/integrationGateway.properties': 'ig.describe=permitted\n',
}

const script = `
import { listFields } from './console/src/api/list-fields.ts'
import { writeCurl } from './console/src/trial.ts'
import { writeOpenApi } from './src/admin/openapi.ts'
import { main } from './src/cli/main.ts'
import { compileCatalog } from './src/configuration/catalog.ts'
import { openProject } from './src/project/open-project.ts'
import { writeCurlLines } from './src/serve/development/curl-lines.ts'
import { openTestGateway } from './src/testing/open-test-gateway.ts'

const gateway = await openTestGateway({ project: 'project', listen: true })
const answers = {}
for (const headers of [{}, { 'x-api-key': 'DEMO' }, { 'x-api-key': 'OTHER' }]) {
  const { status, operator } = await gateway.call('GET KEYED.v1/', { headers })
  answers[headers['x-api-key'] ?? ''] = [status, operator]
}
const tls = (await gateway.call('GET TLS_KEYED.v1/', { headers: { 'x-api-key': 'DEMO' } })).refusal.code
const { paths, components } = (await gateway.call('GET /PSIGW/RESTListeningConnector/openapi.json')).json()
const security = [Object.values(paths).map(({ get }) => get.security), components.securitySchemes]
const { schemas } = writeOpenApi([], '').components
const { options, meanings } = listFields(schemas.OperationInput).find(({ path }) => path === 'verification')
const labels = [options.includes('ApiKeySSL'), meanings.ApiKey, meanings.ApiKeySSL]
const trial = writeCurl('', { method: 'GET', path: '/', operator: 'DEMO' }, 'ApiKey')
const { configuration, handlers } = await openProject('project')
const { operations } = compileCatalog(configuration, handlers)
const options0 = { base: '', operators: new Map(), samples: [] }
const curl = writeCurlLines({ ...options0, operations: operations.values() }).map(({ credentials, line }) => [credentials, line])

await main(['healthcheck', gateway.url])
process.env.IG_HEALTHCHECK_API_KEY = 'DEMO'
await main(['healthcheck', gateway.url])
const explain = ['explain', 'GET', '/KEYED.v1/', '--project', 'project']
await main([...explain, '--header', 'X-API-Key: DEMO'])
await main([...explain, '--as', 'DEMO'])
process.stdout.write(JSON.stringify({ answers, tls, security, labels, trial, curl }))
await gateway.close()
process.exitCode = 0
`

test('a mode of verification is one row and one file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ig-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const part of ['src', 'console/src', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'project/handlers'), { recursive: true })
  const written = { ...project, 'src/verification/api-key.ts': file, 'show.ts': script }
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, name), text)
  const insert = (name: string, before: string, line: string) => {
    const text = readFileSync(join(folder, name), 'utf8')
    assert.equal(text.split(before).length, 2, name)
    writeFileSync(
      join(folder, name),
      text.replace(before, () => line + before),
    )
  }
  insert('src/model/verification.ts', '  Certificate: {', row)
  insert('src/verification/open-verifiers.ts', 'import { type Basic', "import { apiKey } from './api-key.ts'\n")
  insert('src/verification/open-verifiers.ts', '    Certificate: ', '    ApiKey: apiKey,\n')

  const command = ['--conditions=integration-gateway-source', 'show.ts']
  const output = execFileSync(process.execPath, command, { cwd: folder, encoding: 'utf8' })
  const [printed = '', json = ''] = output.split(/(?=\{"answers)/)
  assert.deepEqual(JSON.parse(json), {
    answers: { '': [401, null], DEMO: [200, 'DEMO'], OTHER: [401, null] },
    tls: 'tlsRequired',
    security: [[[{ apiKey: [] }], [{ apiKey: [] }]], { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } }],
    labels: [true, 'API key of an operator', 'like ApiKey, but only over TLS'],
    trial: 'curl -i -H "X-API-Key: $KEY" \'/\'',
    curl: [['ApiKey', 'curl -H "X-API-Key: $KEY" /KEYED.v1/']],
  })
  assert.match(printed, /FAIL +401 .*KEYED_GET\.v1 .*\(needs credentials: set IG_HEALTHCHECK_API_KEY\)/)
  assert.match(printed, /PASS +200 .*KEYED_GET\.v1/)
  assert.match(printed, /authentication +passed +DEMO, by an API key; verification ApiKey\n/)
  assert.match(printed, /authentication +passed +DEMO, by --as; verification ApiKey\n/)
})
