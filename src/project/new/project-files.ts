/** The files of a new project, path → text (specification 14.7). */
import { writeJson } from '../../base/escape.ts'
import { writeAgents } from './agents.ts'

/** Fields that a project copies from the gateway's own package.json. */
export interface OwnPackage {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

const sdk = 'integration-gateway'

/** @param gateway the dependency in its package.json: a version, or a file */
export function writeProjectFiles(name: string, own: OwnPackage, gateway: string): Readonly<Record<string, string>> {
  return {
    'gateway.config.ts': config,
    'handlers/hello.ts': handler,
    'test/hello.test.ts': test,
    'integrationGateway.properties': settings,
    'package.json': `${writeJson(describePackage(name, own, gateway), 2)}\n`,
    'tsconfig.json': `${JSON.stringify(compilerOptions, null, 2)}\n`,
    '.gitignore': 'node_modules/\ndata/\n',
    '.vscode/settings.json': `${JSON.stringify(editorSettings, null, 2)}\n`,
    'README.md': writeReadme(name),
    'AGENTS.md': writeAgents(name, sdk),
  }
}

function describePackage(name: string, { devDependencies }: OwnPackage, gateway: string) {
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: { dev: 'ig dev', start: 'ig start', test: 'node --test', check: 'tsc && ig check' },
    dependencies: { [sdk]: gateway },
    devDependencies: {
      '@types/node': devDependencies['@types/node'],
      node: devDependencies.node, // scripts find it first: an older node would find no tests and report success
      typescript: devDependencies.typescript,
    },
    allowScripts: { node: true }, // npm would warn of it, and later not run it
  }
}

/** An exported configuration is completed and checked while it is edited. */
const editorSettings = {
  'json.schemas': [{ fileMatch: ['*.gateway.json'], url: `./node_modules/${sdk}/schema/configuration.schema.json` }],
}

/** Node runs the sources as they are, and only strips the types. */
const compilerOptions = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
}

const config = `/** Everything that this gateway publishes. */
import { defineGateway, defineSampleOperators } from '${sdk}'

export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  databaseValues: 'portable', // handlers get the same values from SQLite and PostgreSQL

  documents: [{ name: 'HELLO_DOCUMENT', elements: { name: { type: 'String', length: 50 } } }],
  messages: [{ name: 'HELLO_PARAMETERS', document: 'HELLO_DOCUMENT' }],

  services: [{ name: 'GREETINGS' }],
  operations: [
    {
      service: 'GREETINGS',
      name: 'HELLO',
      method: 'GET',
      description: 'Greets by name',
      verification: 'Basic',
      uriTemplates: ['{name}'],
      documentTemplate: 'HELLO_PARAMETERS',
      handler: 'handlers/hello.ts#Hello',
    },
  ],

  permissionLists: [{ name: 'GREETINGS_ALL', services: ['GREETINGS'] }],
})

/** For \`ig dev\` and tests; \`ig start\` never uses them. */
export const sampleOperators = defineSampleOperators([
  { id: 'DEMO', password: 'demo-password', email: 'demo@example.com', permissionLists: ['GREETINGS_ALL'] },
])
`

const handler = `/** HELLO: a greeting for the name in the URL. */
import { createXmlDoc, type Handler, type HandlerContext, type RequestMessage } from '${sdk}'
import type gateway from '../gateway.config.ts'

export class Hello implements Handler {
  onRequest(request: RequestMessage<typeof gateway, 'HELLO_GET'>, { broker, operator }: HandlerContext) {
    const { name } = request.getUriDocument()
    const document = createXmlDoc('response')
    document.root.addElement('greeting', \`Hello \${name}, says \${operator.id}\`)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
`

const test = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from '${sdk}/testing'

test('HELLO greets by name and refuses calls without credentials', async () => {
  await using gateway = await openTestGateway({ project: new URL('..', import.meta.url) })
  const answer = await gateway.call('GET HELLO.v1/World', { as: 'DEMO' })
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '<?xml version="1.0"?><response><greeting>Hello World, says DEMO</greeting></response>')

  const unknown = await gateway.call('GET HELLO.v1/World')
  assert.equal(unknown.status, 401)
})
`

const settings = `# Settings, read at start; "npx ig settings" lists all of them. Each can be an environment variable: IG_PORT=9080.
# ig.port=8080
# ig.database=data/gateway.sqlite
# ig.errorStyle=observed

# Caches no response that depends on more of the request than the cache key contains
ig.cache.strict=true
`

function writeReadme(name: string): string {
  return `# ${name}

\`\`\`sh
npm install
npm run dev      # serves it on this machine; reloads on save
npm test
npm run check    # types and configuration
npm start        # for production: operators are added with "npx ig operator add"
\`\`\`

\`gateway.config.ts\` lists what is published; \`handlers/\` contains the code that answers.
`
}
