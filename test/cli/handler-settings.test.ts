/** Settings that the modules of a project declare, on the command line and in the logs (specification 5.43, 5.44). */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ig, makeProject } from '../support/cli.ts'

const handler = (definition: string) => `
import { defineSettings } from 'integration-gateway'
const settings = defineSettings(${definition})
export class Hello {
  onRequest(request, { broker, setting, log }) {
    const url = setting(settings.url)
    log.warning('asks ' + url, { url, other: JSON.stringify({ url }) })
    if (request.getHeader('x-fail')) throw new Error('no answer of ' + url)
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('fine')
    return response
  }
}
`
const config = `
import { defineGateway, defineSampleOperators } from 'integration-gateway'
export default defineGateway({
  nodes: [{ name: 'LOCAL', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'S' }],
  operations: [{ service: 'S', name: 'HELLO', method: 'GET', handler: 'handlers/hello.ts#Hello' }],
  permissionLists: [{ name: 'ALL', services: ['S'] }],
})
export const sampleOperators = defineSampleOperators([
  { id: 'GUEST', password: 'guest-password', email: 'guest@example.com', permissionLists: ['ALL'] },
])
`
const project = (definition: string) =>
  makeProject({ 'gateway.config.ts': config, 'handlers/hello.ts': handler(definition) })
const secret = 'https://bob:p"ss@legacy.example/x?y=z z'

test('5.43, 5.44 ig check and ig settings report the settings of handlers, never their values', async () => {
  const folder = project("{ url: { variable: 'CHECKED_URL' } }")
  const absent = await ig(['check', '--project', folder])
  assert.equal(absent.code, 1)
  assert.match(absent.stdout, /CHECKED_URL is not set: a handler needs it\. Set CHECKED_URL, or CHECKED_URL_FILE/)
  const env = { CHECKED_URL: secret }
  const set = await ig(['check', '--project', folder], { env })
  assert.equal(set.code, 0, set.stdout)
  const listed = await ig(['settings', '--project', folder], { env })
  assert.match(listed.stdout, /^ {2}CHECKED_URL +set \(CHECKED_URL\), secret$/m)
  const json = await ig(['settings', '--json', '--project', folder], { env })
  const found = (JSON.parse(json.stdout) as { variable: string }[]).filter(({ variable }) => variable === 'CHECKED_URL')
  assert.deepEqual(found, [{ variable: 'CHECKED_URL', isSecret: true, isSet: true, source: 'CHECKED_URL' }])
  assert.doesNotMatch([set, listed, json].map(({ stdout, stderr }) => stdout + stderr).join(), /legacy/)
})

test('5.45 ig check opens no resource, not even one that is opened at the start', async () => {
  const folder = makeProject({
    'gateway.config.ts': config,
    'handlers/hello.ts': `
import { defineResource } from 'integration-gateway'
import { writeFileSync } from 'node:fs'
export const pool = defineResource({
  openAt: 'start',
  isRequired: true,
  open: () => writeFileSync(new URL('../opened', import.meta.url), ''),
  close: () => {},
})
export class Hello {
  async onRequest(request, { broker, resource }) {
    await resource(pool)
    return broker.createMessage(request.operationName, 'response')
  }
}
`,
  })
  const env = { CHECKED_URL: secret } // of the other tests: a process keeps its modules
  const { code, stdout } = await ig(['check', '--project', folder], { env })
  assert.equal(code, 0, stdout)
  assert.equal(existsSync(join(folder, 'opened')), false)
  await ig(['try', 'GET', '/HELLO.v1', '--project', folder], { env })
  assert.equal(existsSync(join(folder, 'opened')), true, 'at the first use')
})

test('9.14 a sample password that breaks the rule for passwords is an error of ig check', async () => {
  const files = { 'handlers/hello.ts': handler('{}'), 'gateway.config.ts': config.replace('guest-password', 'guest') }
  const env = { CHECKED_URL: secret } // of the other tests: a process keeps its modules
  const { code, stdout } = await ig(['check', '--project', makeProject(files)], { env })
  const line = 'gateway.config.ts:10 sampleOperators[0].password must have 12 to 1,024 characters'
  assert.deepEqual([code, stdout], [1, `The project has an error:\n  ${line}\n`])
})

test('5.43 a reserved name is an error of ig check, with its line', async () => {
  const { code, stdout } = await ig(['check', '--project', project("{ url: { variable: 'PGHOST' } }")])
  assert.equal(code, 1)
  assert.match(stdout, /handlers\/hello\.ts:3: The variable PGHOST cannot be a setting/)
})

test('5.43 ig start and ig dev do not start without a required setting, and name it', async () => {
  const folder = project("{ url: { variable: 'STARTED_URL' } }")
  const { code, stderr } = await ig(['start', folder, '--port', '0', '--workers', '1'])
  assert.notEqual(code, 0)
  assert.match(stderr, /STARTED_URL.* is not set: a handler needs it/)
})

test('5.44 the text of a secret appears neither in notes nor in errors of ig try', async () => {
  const env = { CHECKED_URL: secret }
  const folder = project("{ url: { variable: 'CHECKED_URL' } }")
  for (const extra of [[], ['--header', 'x-fail: yes']]) {
    const { stdout, stderr } = await ig(['try', 'GET', '/HELLO.v1', '--project', folder, ...extra], { env })
    assert.match(stdout, /warning: asks \[redacted\]/)
    assert.doesNotMatch(stdout + stderr, /legacy|p"ss/)
  }
})
