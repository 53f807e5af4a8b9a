/** Programs with one error each, and the compiler's messages. Programs that must compile are in test/types/, which `npm run check` compiles. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTypes } from '../support/check-types.ts'

const config = (uriTemplate: string, documentTemplate = "documentTemplate: 'PAGE_PARAMETERS',") => `
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  services: [{ name: 'PAGES' }],
  documents: [{ name: 'PAGE', elements: { name: { type: 'String' }, size: { type: 'Integer' } } }],
  messages: [{ name: 'PAGE_PARAMETERS', document: 'PAGE' }],
  operations: [
    { service: 'PAGES', name: 'PAGE', method: 'GET', uriTemplates: ['/', '${uriTemplate}'], ${documentTemplate} handler: 'handlers/page.ts' },
  ],
})
`
const handler = (body: string, operation = 'PAGE_GET') => `
import type { Handler, HandlerContext, RequestMessage, ResponseMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'

export type Response = ResponseMessage | HandlerContext
export type Request = RequestMessage<typeof gateway, '${operation}'>
export default class Page implements Handler {
  ${body}
}
`
const sound = handler(`onRequest(request: Request, { broker }: HandlerContext) {
    const { name = '', size = 1 } = request.getUriDocument()
    name.repeat(size)
    return broker.createMessage(request.operationName, 'response')
  }`)

const rows = [
  { title: '11.1 a valid project compiles', config: config('{name}{?size}'), handler: sound, faults: [] },
  {
    title: '11.2 a variable without an element is refused where it is written',
    config: config('{nmae}{?size}'),
    handler: handler('onRequest(): ResponseMessage { throw new Error() }'),
    faults: [
      /^gateway\.config\.ts\(10,74\): .*'"\{nmae\}\{\?size\}"' is not assignable to .*"has the variable nmae, which is no element of its document template PAGE_PARAMETERS"/,
    ],
  },
  {
    title: '11.2 a variable of an operation without document template is refused',
    config: config('{name}', ''),
    handler: handler('onRequest(): ResponseMessage { throw new Error() }'),
    faults: [/^gateway\.config\.ts\(10,74\): .*has the variable name, but its operation has no document template/],
  },
  {
    title: '11.2 a document template that does not exist provides nothing',
    config: config('{name}', "documentTemplate: 'PAGE',"),
    handler: handler('onRequest(): ResponseMessage { throw new Error() }'),
    faults: [
      /^gateway\.config\.ts\(10,74\): .*has the variable name, which is no element of its document template PAGE"/,
    ],
  },
  {
    title: '11.2 a handler without onRequest is refused',
    config: config('{name}'),
    handler: handler('onRequst() {}'),
    faults: [
      /^handlers\/page\.ts\(7,22\): .*Class 'Page' incorrectly implements interface 'Handler'\.\n.*Property 'onRequest' is missing/,
    ],
  },
  {
    title: '11.2 an operation that the configuration does not have is refused',
    config: config('{name}'),
    handler: handler('onRequest(): ResponseMessage { throw new Error() }', 'PAGE_PUT'),
    faults: [
      /^handlers\/page\.ts\(6,54\): .*'"PAGE_PUT"' does not satisfy the constraint '"PAGE_GET" \| "PAGE_GET\.v1"'/,
    ],
  },
  {
    title: '11.2 a value that no template carries is refused',
    config: config('{name}'),
    handler: handler(`onRequest(request: Request): ResponseMessage {
    throw new Error(request.getUriDocument().size)
  }`),
    faults: [/^handlers\/page\.ts\(9,46\): .*Property 'size' does not exist on type/],
  },
  {
    title: '11.1 a value that a URL may omit is not typed as always present',
    config: config('{name}{?size}'),
    handler: handler(`onRequest(request: Request): ResponseMessage {
    throw new Error(request.getUriDocument().size.toFixed())
  }`),
    faults: [/^handlers\/page\.ts\(9,21\): .*is possibly 'undefined'/],
  },
] as const

/** All programs in one run of the compiler, each in a folder of its own. */
const checked = checkTypes(
  Object.fromEntries(
    rows.flatMap((row, at) => [
      [`${at}/gateway.config.ts`, row.config],
      [`${at}/handlers/page.ts`, row.handler],
    ]),
  ),
)

for (const [at, row] of rows.entries()) {
  test(row.title, async () => {
    const own = (await checked).filter((fault) => fault.startsWith(`${at}/`))
    const faults = own.map((fault) => fault.slice(`${at}/`.length))
    assert.equal(faults.length, row.faults.length, faults.join('\n'))
    for (const [index, fault] of row.faults.entries()) assert.match(faults[index] ?? '', fault)
  })
}

test('11.3 a configuration created at run time compiles, and so do its handlers', async () => {
  const made = `
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  operations: ['FIRST', 'SECOND'].map((name) => ({
    service: 'PAGES', name, method: 'GET' as const, uriTemplates: [\`\${name}/{key}\`], handler: 'handlers/page.ts',
  })),
})
`
  const body = `onRequest(request: Request): ResponseMessage { throw new Error(String(request.getUriDocument().key)) }`
  const files = { 'gateway.config.ts': made, 'handlers/page.ts': handler(body, 'FIRST_GET') }
  assert.deepEqual(await checkTypes(files), [])
})
