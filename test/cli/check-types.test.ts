/** `ig check --types` (specification 11.13). */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ig, makeProject, root } from '../support/cli.ts'
import { typesOf } from '../support/installed.ts'

const config = `
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'HERE', isDefaultLocal: true }],
  services: [{ name: 'HR' }],
  documents: [{ name: 'PERSON', elements: { id: { type: 'String' }, size: { type: 'Integer' } } }],
  messages: [{ name: 'PERSON_PARAMETERS', document: 'PERSON' }],
  operations: [
    { service: 'HR', name: 'PERSON', method: 'GET', uriTemplates: ['{id}'], documentTemplate: 'PERSON_PARAMETERS', handler: 'handlers/person.ts' },
    { service: 'HR', name: 'PEOPLE', method: 'GET', uriTemplates: ['{?size}'], documentTemplate: 'PERSON_PARAMETERS', handler: 'handlers/person.ts' },
    { service: 'HR', name: 'PERSON', method: 'GET', version: 'v2', uriTemplates: ['{id}{?size}'], documentTemplate: 'PERSON_PARAMETERS', handler: 'handlers/all.ts#Both' },
    { service: 'HR', name: 'PERSON', method: 'DELETE', uriTemplates: ['{id}'], documentTemplate: 'PERSON_PARAMETERS', handler: 'handlers/all.ts#Both' },
    { service: 'HR', name: 'PING', method: 'GET', handler: 'handlers/all.ts#Any' },
    { service: 'HR', name: 'PLAIN', method: 'GET', handler: 'handlers/plain.js' },
  ],
})
`
const handlers = {
  'handlers/person.ts': `
import type { HandlerContext, RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'

export default class Person {
  onRequest(request: RequestMessage<typeof gateway, 'PERSON_GET.v1'>, { broker }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(request.getUriDocument().id)
    return response
  }
}
`,
  'handlers/all.ts': `
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'

export class Both {
  onRequest(request: RequestMessage<typeof gateway, 'PERSON_GET' | 'PERSON_DELETE'>, { broker }: HandlerContext) {
    return broker.createMessage(request.operationName, 'response')
  }
}

export class Any implements Handler {
  onRequest(request: RequestMessage, { broker }: HandlerContext) {
    return broker.createMessage(request.operationName, 'response')
  }
}
`,
  'handlers/plain.js':
    'export default class { onRequest(request, { broker }) { return broker.createMessage(request.operationName, "response") } }\n',
}
const tsconfig = JSON.stringify({
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    paths: { 'integration-gateway': [typesOf('sdk')] },
    typeRoots: [join(root, 'node_modules/@types')],
  },
})

function make(files: Readonly<Record<string, string>>, withCompiler: boolean): string {
  const folder = makeProject({
    'package.json': '{"type":"module"}',
    'tsconfig.json': tsconfig,
    'gateway.config.ts': config,
    ...files,
  })
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  if (withCompiler) symlinkSync(join(root, 'node_modules/typescript'), join(folder, 'node_modules/typescript'))
  return folder
}

test('11.13 a handler at the wrong operation is an error of that operation; a type error in a handler is an error of its file', async () => {
  const broken = "\nexport const size: number = 'many'\n"
  const folder = make({ ...handlers, 'handlers/all.ts': handlers['handlers/all.ts'] + broken }, true)
  const { code, stdout } = await ig(['check', '--project', folder, '--types', '--json'])
  const { problems } = JSON.parse(stdout) as { problems: { path: string; message: string }[] }
  assert.equal(code, 1)
  assert.deepEqual(
    problems.map(({ path }) => path.replace(/\(\d+,\d+\)$/, '')),
    ['handlers/all.ts', 'operations[1].handler'],
  )
  assert.match(problems[0]?.message ?? '', /^has a type error: Type 'string' is not assignable to type 'number'/)
  assert.match(
    problems[1]?.message ?? '',
    /^does not fit PEOPLE_GET\.v1: onRequest of handlers\/person\.ts takes another request\. .*(?:PEOPLE_GET|'id')/,
  )
  const printed = await ig(['check', '--project', folder, '--types'])
  assert.match(
    printed.stdout,
    /^The types have 2 errors:\n {2}handlers\/all\.ts\(.*\n {2}gateway\.config\.ts:\d+ operations\[1\]\.handler does not fit /,
  )
  const left = readdirSync(join(folder, 'node_modules')).filter((name) => name.startsWith('.integration-gateway'))
  assert.deepEqual(left, [])
})

test('11.13 without TypeScript the error says how to install it; without --types nothing is compiled', async () => {
  const folder = make(handlers, false)
  const { code, stdout } = await ig(['check', '--project', folder, '--types'])
  assert.equal(code, 1)
  assert.match(
    stdout,
    /typescript is not installed in this project, and --types needs it: npm install --save-dev typescript/,
  )
  const without = await ig(['check', '--project', folder])
  assert.deepEqual([without.code, without.stdout], [0, 'No errors: 6 operations, 1 service, 0 permission lists.\n'])
})
