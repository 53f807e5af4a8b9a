/** The `AGENTS.md` of a new project, for people and programs that change it in an editor (specification 14.7). */

export function writeAgents(name: string, sdk: string): string {
  return `# ${name}: how to work on it

Operations are declared in \`gateway.config.ts\` and answered by classes in \`handlers/\`. All of the documentation is in
\`node_modules/integration-gateway/docs/\`: begin with \`how-to/handlers.md\`, the guide; \`reference/sdk.md\` has what the
package exports, and \`README.md\` lists the other pages. \`node_modules/integration-gateway/examples/hr/\` is a whole
project.

## Order

1. Declare the operation in \`gateway.config.ts\`.
2. Write its handler, and a test that calls it.
3. \`npm run check\` (types and configuration), then \`npm test\`. Both end with exit code 0, or name file and line. If an
   answer has another status than expected, print its \`refusal\`: \`reason\` and \`cause\` name the error.

\`npm run dev\` serves it and reloads on save; \`npx ig try GET /HELLO.v1/World --as DEMO\` calls it without a server.

## A whole operation

\`\`\`ts
// gateway.config.ts: add to operations
    {
      service: 'GREETINGS',
      name: 'FAREWELL',
      method: 'GET',
      verification: 'Basic',
      uriTemplates: ['{name}'],
      documentTemplate: 'HELLO_PARAMETERS',
      responseMessage: { contentType: 'application/json' },
      handler: 'handlers/farewell.ts#Farewell',
    },
\`\`\`

\`\`\`ts
// handlers/farewell.ts
import type { Handler, HandlerContext, RequestMessage } from '${sdk}'
import type gateway from '../gateway.config.ts'

export class Farewell implements Handler {
  onRequest(request: RequestMessage<typeof gateway, 'FAREWELL_GET'>, { broker, operator }: HandlerContext) {
    const { name } = request.getUriDocument()
    const response = broker.createMessage(request.operationName, 'response')
    response.setJson({ farewell: \`Goodbye \${name}\`, by: operator.id })
    return response
  }
}
\`\`\`

\`\`\`ts
// test/farewell.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from '${sdk}/testing'

test('FAREWELL says goodbye to the name in the URL', async () => {
  await using gateway = await openTestGateway({ project: new URL('..', import.meta.url) })
  const answer = await gateway.call('GET FAREWELL.v1/Kim', { as: 'DEMO' })
  assert.equal(answer.status, 200)
  assert.deepEqual(JSON.parse(answer.text), { farewell: 'Goodbye Kim', by: 'DEMO' })
})
\`\`\`

## Ten mistakes

1. A status alone: by default some refusals are 200. Look at the header \`ig-refusal\` (\`ig.errorStyle=standard\` gives
   correct statuses).
2. An operation that no permission list has: every call is \`permissionDenied\`. Add its service to \`permissionLists\`.
3. Credentials or permissions checked in a handler: \`verification\` and \`permissionLists\` do it, before the handler runs.
4. TypeScript that cannot be stripped: no enums, namespaces and parameter properties; imports end in \`.ts\`, types come
   by \`import type\`.
5. Another database connection: \`context.database\` is the transaction of the call, and is rolled back if it fails.
6. A row read and then written where \`transaction\` is \`'read'\`: state \`transaction: 'write'\`.
7. Mail or calls that change another service within the transaction: \`context.afterCommit\` runs them once it is stored.
8. The global \`fetch\`: \`context.fetch\` has time limits, the trace, and a list of the addresses that it may reach.
9. A cached answer that depends on the caller or a header: \`setRestCache\` takes the time in epoch milliseconds, and the
   operation states what its cache key has.
10. Passwords and URLs in the code: \`defineSettings\` reads them from the environment; a migration that has run is never
    edited: add another.
`
}
