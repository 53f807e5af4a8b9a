/**
 * What is published: packed from a copy of the checkout, installed into a project outside of it, and used there as a user
 * does, with nothing but what the package brings along.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join } from 'node:path'
import { before, suite, test } from 'node:test'
import { describeSettings } from '../../src/settings.ts'
import { findBundled, findInstalled, readLock, refOf } from '../../tools/build/published-packages.ts'
import { afterwards } from '../support/afterwards.ts'
import { withoutSlowLoads } from '../support/cli.ts'
import { checkout, pack, scratch } from '../support/packed.ts'

const root = join(import.meta.dirname, '../..')
const project = join(scratch, 'project')
const installed = join(project, 'node_modules/integration-gateway')
const ig = join(project, 'node_modules/.bin/ig')
const bundledNames = ['jose', 'kysely', 'zod']
/** What is imported by name, or run by a process or thread of its own; the code that they share is in few files. */
const entries = [
  'cli/main',
  'project/check-handlers/load-process',
  'sdk',
  'serve/development/server',
  'store/sqlite/check-copy',
  'store/sqlite/writer-worker',
  'testing',
]

const config = `
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  nodes: [{ name: 'LOCAL', isDefaultLocal: true }],
  documents: [{ name: 'GREETING', elements: { name: { type: 'String' } } }],
  messages: [{ name: 'GREETING_PARAMETERS', document: 'GREETING' }],
  services: [{ name: 'GREETINGS' }],
  operations: [
    {
      service: 'GREETINGS',
      name: 'HELLO',
      method: 'GET',
      verification: 'Basic',
      uriTemplates: ['{name}'],
      documentTemplate: 'GREETING_PARAMETERS',
      handler: 'handlers/hello.ts#Hello',
    },
  ],
  permissionLists: [{ name: 'ALL', services: ['GREETINGS'] }],
})
`
const handler = `
import { createXmlDoc, type Handler, type HandlerContext, Refusal, type RequestMessage } from 'integration-gateway'

export class Hello implements Handler {
  onRequest(request: RequestMessage, { broker, operator }: HandlerContext) {
    const { name } = request.getUriDocument()
    if (name === 'stranger') throw new Refusal('uriValueInvalid', 'for the log', { detail: 'A stranger is not greeted.' })
    const document = createXmlDoc('response')
    document.root.addElement('greeting', \`Hello \${name} from \${operator.id}\`)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
`
/** Where a type was lost, \`any\` would accept these. */
const faults = `
import { defineGateway, type HandlerContext, Refusal, type UriValue } from 'integration-gateway'

// @ts-expect-error
defineGateway({ nodes: [], services: [{ nam: 'GREETINGS' }], operations: [], permissionLists: [] })
// @ts-expect-error
new Refusal('noSuchCode', 'for the log')
// @ts-expect-error
export const value: UriValue = Symbol('none of a URL')
// @ts-expect-error
export const operatorOf = ({ operator }: HandlerContext): number => operator.id
`
const sampleIssuer = `
  oauth2ServiceApps: [
    {
      name: 'SAMPLE_ISSUER',
      issuer: 'http://127.0.0.1:8090',
      authorizationEndpoint: 'http://127.0.0.1:8090/auth',
      tokenEndpoint: 'http://127.0.0.1:8090/token',
    },
  ],
})
`

// Begun where the tests of another file that packs have ended
suite('The package', () => {
  before(() => {
    const types = join(root, 'node_modules/@types')
    writeProject(project, {
      'package.json': JSON.stringify({ private: true, type: 'module' }),
      'tsconfig.json': JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'nodenext',
          strict: true,
          noEmit: true,
          types: ['node'],
          typeRoots: [types],
        },
      }),
      'gateway.config.ts': config,
      'handlers/hello.ts': handler,
      'faults.ts': faults,
    })
    run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', pack(environment())], project)
  })

  test('the package contains the compiled program, its types and its documents, and nothing else', () => {
    const files = globSync('**/*', { cwd: installed, exclude: ['node_modules'] })
      .filter((path) => statSync(join(installed, path)).isFile())
      .sort()
    const sources = globSync('**/*.ts', { cwd: join(checkout, 'src') })
    const types = sources.map((path) => join('dist', `${path.slice(0, -'.ts'.length)}.d.ts`))
    const compiled = [...types, ...entries.map((entry) => `dist/${entry}.js`)]
    const console = globSync('{console,site}/dist/**/*', { cwd: checkout }).filter((path) => /\.\w+$/.test(path))
    for (const page of ['console/dist/index.html', 'site/dist/index.html'])
      assert.ok(console.includes(page), 'it is built')
    const bundled = bundledNames.flatMap((name) => {
      const file = `dist/bundled/${name}-${readLock()[`node_modules/${name}`]?.version}.js`
      return [file, `${file}.LICENSE`]
    })
    const programs = ['bundled-dependencies', 'check-runtime', 'ig', 'use-bundled'].map((name) => `bin/${name}.js`)
    const written = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', ...programs, ...bundled]
    const schemas = ['configuration', 'settings'].map((name) => `schema/${name}.schema.json`)
    const documents = globSync(['{deploy,docs,examples}/**/*', 'src/features/*/README.md'], { cwd: checkout })
      .filter((path) => statSync(join(checkout, path)).isFile())
      .filter((path) => !/^docs\/reference\/features|^deploy\/secrets|\/data\//.test(path))
    const others = [
      ...written,
      ...documents,
      'SECURITY.md',
      'dist/build.json',
      'dist/bundled/built-from.json',
      'man/ig.1',
      'npm-shrinkwrap.json',
      ...schemas,
      'sbom.cdx.json',
    ]
    const maps = files.filter((path) => path.endsWith('.js.map'))
    const shared = files.filter((path) => /^dist\/modules\/[\w-]+\.js$/.test(path))
    assert.deepEqual(files, [...others, ...console, ...compiled, ...shared, ...maps].sort())
    assert.ok(maps.every((path) => path.startsWith('dist/') && files.includes(path.slice(0, -'.map'.length))))
    const programsOf = files.filter((path) => /^dist\/.*\.js$/.test(path))
    const wide = programsOf.filter((path) => /[^\0-\x7f]/.test(readFileSync(join(installed, path), 'utf8')))
    assert.deepEqual(wide, [], 'V8 keeps a file of ASCII at one byte for each letter')
    assert.ok(shared.length > 0 && shared.length < 200, `${shared.length}`)
    assert.ok(!existsSync(join(project, 'node_modules/oidc-provider')), 'no development dependency comes along')
  })

  test('39.1 links of the documents in the package lead to what it contains', () => {
    const documents = globSync(['*.md', '{docs,examples}/**/*.md', 'src/features/*/README.md'], { cwd: installed })
    const broken = documents.flatMap((file) => {
      const prose = readFileSync(join(installed, file), 'utf8').replace(/^( *)```[\s\S]*?^\1```$|`[^`\n]*`/gm, '')
      const links = [...prose.matchAll(/\]\((?!\w+:)([^)#\s]+)/g)].map(([, path = '']) => join(dirname(file), path))
      return links.filter((path) => !existsSync(join(installed, path))).map((path) => `${file}: ${path}`)
    })
    assert.ok(documents.length > 80, `${documents.length}`)
    assert.deepEqual(
      broken.filter((link) => link !== 'README.md: CONTRIBUTING.md'), // for those who have the checkout
      [],
    )
  })

  test('with IG_DEBUG a stack has the lines of the sources', () => {
    const { stderr } = tryRun(ig, ['start', 'missing'], project, '', { IG_DEBUG: '1' })
    assert.match(stderr, /\n {4}at requireFolder \(.*\/src\/project\/open-project\.ts:\d+:\d+\)\n/)
  })

  test('the command loads a bundled dependency as one file, or the installed files if they are another version', () => {
    const loaded = () => {
      const list = join(scratch, 'loaded.txt')
      const hook = `import { appendFileSync } from 'node:fs'
      import { registerHooks } from 'node:module'
      const load = (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context))
      registerHooks({ load })`
      writeFileSync(list, '')
      run(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, ig, 'check'], project)
      return bundledNames.map((name) => {
        const urls = readFileSync(list, 'utf8').split('\n')
        const count = (part: string) => urls.filter((url) => url.includes(part)).length
        return { one: count(`/dist/bundled/${name}-`), many: count(`/node_modules/${name}/`) }
      })
    }
    const whole = loaded()
    assert.deepEqual(whole.at(-1), { one: 1, many: 0 }, 'which `ig check` needs')
    assert.ok(whole.every(({ one, many }) => one <= 1 && many === 0))

    const file = join(project, 'node_modules/zod/package.json')
    const own = readFileSync(file, 'utf8')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(own), version: '0.0.1' }))
    try {
      const { one, many } = loaded().at(-1) ?? {}
      assert.ok(one === 0 && Number(many) > 1, `${one} ${many}`)
    } finally {
      writeFileSync(file, own)
    }
  })

  test('32.4 the JSON schemas take what the gateway takes, refuse what it refuses, and describe fields and settings', () => {
    const require = createRequire(createRequire(import.meta.resolve('fastify')).resolve('@fastify/ajv-compiler'))
    const { default: Ajv } = require('ajv/dist/2020')
    const open = (name: string) => {
      const schema = JSON.parse(readFileSync(join(installed, `schema/${name}.schema.json`), 'utf8'))
      return { schema, validate: new Ajv({ strict: false }).compile(schema) }
    }
    const { schema, validate } = open('configuration')
    const exported = JSON.parse(run(ig, ['revision', 'export', 'files', '--json'], project))
    assert.ok(validate(exported), JSON.stringify(validate.errors))
    const [operation] = exported.operations
    for (const wrong of [{ verification: 'Basik' }, { metod: 'GET' }, { name: undefined }])
      assert.ok(!validate(JSON.parse(JSON.stringify({ ...exported, operations: [{ ...operation, ...wrong }] }))))
    const { properties } = schema.properties.nodes.items
    const { title, description } = properties.isDefaultLocal
    assert.deepEqual(
      [title, description],
      ['Default local node', 'For exactly one node: the target of the generated routings'],
    )
    const { kind } = schema.properties.operations.items.properties.requestMessage.properties
    assert.ok(kind.description && kind.enum, 'a schema that several fields share')

    const settings = open('settings')
    assert.deepEqual(
      Object.keys(settings.schema.properties),
      describeSettings().map(({ key }) => key),
    )
    assert.ok(settings.validate({ 'ig.port': '9080', 'ig.errorStyle': 'standard', 'hr.pageSize': '20' }))
    assert.ok(!settings.validate({ 'ig.errorStyle': 'Standard' }))
    assert.match(settings.schema.properties['ig.limits.url'].description, /Values: size/)
  })

  test('the shrinkwrap has the versions that were tested, and the SBOM each part once', () => {
    const lock = readLock()
    const readInstalled = (file: string) => JSON.parse(readFileSync(join(installed, file), 'utf8'))
    const { '': own, ...shrinkwrapped } = readInstalled('npm-shrinkwrap.json').packages
    assert.deepEqual(own.dependencies, lock['']?.dependencies)
    assert.deepEqual(shrinkwrapped, Object.fromEntries(findInstalled(lock)))

    const { components, metadata, ...sbom } = readInstalled('sbom.cdx.json')
    const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const refs = components.map((component: Record<string, string>) => component['bom-ref'])
    const parts = [...findInstalled(lock), ...findBundled(lock)].map(([place, locked]) => refOf(place, locked))
    assert.deepEqual(
      [sbom.bomFormat, metadata.component.name, metadata.component.version],
      ['CycloneDX', name, version],
    )
    assert.deepEqual(refs.sort(), [...new Set(parts)].sort())
    for (const { hashes, licenses, purl } of components) assert.ok(hashes[0].alg === 'SHA-512' && licenses && purl)
    assert.ok(!existsSync(join(checkout, 'npm-shrinkwrap.json')), 'which in the checkout would replace the lock file')
  })

  test("a user's project type-checks against the published types", () => {
    assert.equal(run(join(root, 'node_modules/.bin/tsc'), ['--project', project], project), '')
  })

  test("the installed ig checks a user's project, adds an operator, serves its TypeScript handler and knows its build", async () => {
    assert.equal(run('npx', ['ig', 'check', '.'], project), 'No errors: 1 operation, 1 service, 1 permission list.\n')
    const add = ['operator', 'add', 'KIM', '--permission-list', 'ALL', '--password-stdin']
    assert.equal(run(ig, add, project, 'a long password'), 'KIM is added.\n')

    const gateway = serve(['start', '.', '--port', '0'], { IG_METRICS_PORT: '0' })
    const [, url] = await gateway.until(/serving \S+ at (http:\S+)\n/)
    const call = (name: string) =>
      fetch(`${url}/PSIGW/RESTListeningConnector/LOCAL/HELLO.v1/${name}`, {
        headers: { authorization: `Basic ${btoa('KIM:a long password')}`, 'accept-encoding': 'identity' },
      })
    const answer = await call('World')
    const { date, 'set-cookie': cookie, ...headers } = Object.fromEntries(answer.headers)
    const transactionId = headers['ig-transaction-id'] ?? ''
    assert.equal(answer.status, 200)
    assert.match(transactionId, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.match(cookie ?? '', /^JSESSIONID=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/)
    assert.match(headers['x-platform-dms-ecid'] ?? '', /^[0-9a-f]{32}$/)
    assert.deepEqual(headers, {
      'content-type': 'text/xml; encoding="UTF-8"',
      'content-length': '83',
      'ig-transaction-id': transactionId,
      'ig-revision': '1',
      'x-platform-dms-ecid': headers['x-platform-dms-ecid'],
      'x-platform-dms-rid': '0',
      connection: 'keep-alive',
      'keep-alive': headers['keep-alive'],
    })
    assert.ok(Math.abs(Date.parse(date ?? '') - Date.now()) < 60_000)
    assert.equal(
      await answer.text(),
      '<?xml version="1.0"?><response><greeting>Hello World from KIM</greeting></response>',
    )

    const refused = await call('stranger') // its Refusal is the gateway's own: there is one copy of the package
    assert.equal(refused.status, 400)
    assert.equal(refused.headers.get('ig-refusal'), 'uriValueInvalid')
    assert.equal(((await refused.json()) as { detail: string }).detail, 'A stranger is not greeted.')

    const [, metrics = ''] = await gateway.until(/metrics at (http:\S+)\n/)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const build = new RegExp(
      `^ig_build_info\\{version="${version}",node="${process.versions.node}",build="[0-9a-f]{12}"\\} 1$`,
      'm',
    )
    assert.match(await (await fetch(metrics)).text(), build)

    assert.equal(await gateway.stop('SIGTERM'), 0)
    assert.doesNotMatch(gateway.output(), /Warning|a password/)
  })

  test('the installed ig dev serves a project that registers no sample issuer', async () => {
    const gateway = serve(['dev', '.', '--port', '0'])
    const [, url] = await gateway.until(/Gateway +(http:\S+)\n/)
    await gateway.until(/Ctrl-C stops/)
    assert.equal((await fetch(`${url}/HELLO.v1/World`)).status, 401)
    assert.equal(await gateway.stop('SIGINT'), 0)
  })

  test('the installed ig dev names the package that the sample issuer needs if it is missing', () => {
    writeFileSync(join(project, 'gateway.config.ts'), config.replace(/\}\)\n$/, sampleIssuer))
    const { status, stderr } = tryRun(ig, ['dev', '.', '--port', '0'], project)
    assert.equal(status, 1)
    assert.match(
      withoutSlowLoads(stderr),
      /^ig: the project registers the sample issuer, .*\n {2}npm install --save-dev oidc-provider@9\n$/,
    )
  })

  test('the installed ig check names the packages that tracing needs if they are missing', () => {
    const env = { IG_TRACING_ENDPOINT: 'http://127.0.0.1:4318' }
    const problem =
      /ig\.tracing\.endpoint needs .* not installed here: npm install @opentelemetry\/sdk-trace-base@2 @opentelemetry\/exporter-trace-otlp-http@0\.223$/m
    const checked = tryRun(ig, ['check', '.'], project, '', env)
    assert.match(checked.stderr, problem)
  })

  test('ig start and its threads load what an earlier start and Node itself have compiled', async () => {
    const compiled = join(scratch, 'compiled')
    const env = { NODE_COMPILE_CACHE: compiled }
    const gateway = serve(['start', '.', '--port', '0'], { ...env, IG_MONITOR: 'off' })
    await gateway.until(/serving \S+ at /)
    assert.equal(await gateway.stop('SIGTERM'), 0)
    const find = 'require("node:module").getCompileCacheDir()'
    const ofPlainNode = tryRun(process.execPath, ['--print', find], scratch, '', env).stdout.trim()
    assert.deepEqual(readdirSync(compiled), [basename(ofPlainNode)])
  })

  test("a signal that npm forwards right after the terminal's does not count as a second one", async () => {
    const gateway = serve(['start', '.', '--port', '0'])
    const [, url = ''] = await gateway.until(/serving \S+ at (http:\S+)\n/)
    assert.equal((await fetch(url)).status, 404)
    gateway.signal('SIGINT')
    assert.equal(await gateway.stop('SIGTERM'), 0)
  })

  test('in the checkout ig needs npm: for the sources, and for the dependencies', () => {
    const plain = tryRun(process.execPath, [join(root, 'bin/ig.js')], root)
    assert.deepEqual([plain.status, plain.stderr], [1, 'In the checkout use: npm run ig -- <command>\n'])
    rmSync(join(checkout, 'node_modules'))
    const bare = tryRun(process.execPath, ['--conditions=integration-gateway-source', 'bin/ig.js'], checkout)
    assert.deepEqual([bare.status, bare.stderr], [1, 'The dependencies are not installed: run "npm ci" first.\n'])
  })

  test('with a Node that is too old, the package and the checkout say what to install', (t) => {
    const old = findOldNode()
    if (!old) return t.skip('this machine has no older Node')
    const published = tryRun(old, [join(installed, 'bin/ig.js'), 'start'], project)
    assert.equal(published.status, 1)
    assert.match(
      published.stderr,
      /^ig needs Node\.js 24 or newer; this is v[\d.]+\.\nInstall it from .*\nor .*node@24\n$/,
    )
    const sources = tryRun(old, [join(root, 'bin/ig.js'), 'dev'], root)
    assert.equal(sources.status, 1)
    assert.match(
      sources.stderr,
      /^ig needs Node\.js 24 or newer; this is v[\d.]+\.\nIn the checkout "npm ci" brings one/,
    )
  })
})

function writeProject(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** What a user's shell has: this Node first, and nothing of the npm that runs the tests. */
function environment(): Record<string, string | undefined> {
  const own = /^(IG_|NODE_|npm_(package|lifecycle)_|npm_config_local_prefix$)/
  const shell = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)))
  return {
    ...shell,
    PATH: [dirname(process.execPath), shell.PATH].join(delimiter),
    NO_COLOR: '1',
    IG_ADMIN_PORT: 'off',
  }
}

function tryRun(command: string, args: readonly string[], cwd: string, input = '', env: NodeJS.ProcessEnv = {}) {
  return spawnSync(command, args, { cwd, input, env: { ...environment(), ...env }, encoding: 'utf8' })
}

/** @returns its standard output */
function run(command: string, args: readonly string[], cwd: string, input?: string): string {
  const { status, stdout, stderr, error } = tryRun(command, args, cwd, input)
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}\n${stdout}\n${stderr}`)
  return stdout
}

/** Starts the installed `ig` in the user's project. */
function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(ig, args, { cwd: project, env: { ...environment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const wrote = new EventTarget()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
      wrote.dispatchEvent(new Event('more'))
    })
  }
  const closed = once(child, 'close').then(([code]) => {
    wrote.dispatchEvent(new Event('more'))
    return code as number | null
  })
  afterwards(() => child.kill('SIGKILL'))
  return {
    output: () => output,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    stop(signal: NodeJS.Signals) {
      child.kill(signal)
      return closed
    },
    async until(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        if (child.exitCode !== null) throw new Error(`ig ended before it wrote ${pattern}:\n${output}`)
        await once(wrote, 'more')
      }
    },
  }
}

/** The machine's own, behind the one that npm puts first. */
function findOldNode(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return candidates.filter(existsSync).find((node) => {
    const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout
    return Number(/^v(\d+)/.exec(version)?.[1]) < 24
  })
}
