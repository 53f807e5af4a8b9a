import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { JobClass } from '../../src/features/jobs/job.ts'
import type { HandlerClass } from '../../src/model/handler.ts'
import { parseUriTemplate, type UriTemplate } from '../../src/model/uri/uri-template.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { ProjectMigration, Store } from '../../src/store/store.ts'
import { openTestGateway } from '../../src/testing/open-test-gateway.ts'
import { databases } from '../support/databases.ts'
import { describeOperation, succeed } from '../support/handler-run.ts'
import { typesOf } from '../support/installed.ts'

interface Example {
  /** `model/content/message.ts:42` */
  readonly place: string
  readonly source: string
}

const root = join(import.meta.dirname, '../..')
const src = join(root, 'src')
const modules = (await readdir(src, { recursive: true })).filter((file) => file.endsWith('.ts'))
const examples = (await Promise.all(modules.map(readExamples))).flat()
const sources = new Map(examples.map(({ place, source }) => [`example:${place}`, source]))

let migrations: readonly ProjectMigration[] = []

registerHooks({
  resolve: (specifier, context, next) => {
    if (sources.has(specifier)) return { url: specifier, format: 'module-typescript', shortCircuit: true }
    if (/^(?:integration-gateway(?:\/testing)?|zod)$/.test(specifier))
      return next(specifier, { ...context, parentURL: import.meta.url })
    return next(specifier, context)
  },
  load: (url, context, next) => {
    const source = sources.get(url)
    return source === undefined ? next(url, context) : { source, format: 'module-typescript', shortCircuit: true }
  },
})

test('5.1 every example of the documentation runs', async () => {
  assert.ok(examples.length >= 10, `${examples.length} examples`)
  const modules = await Promise.all(
    examples.map(async ({ place }) => ({ place, module: await import(`example:${place}`) })),
  )
  await withStore(async (store) => {
    migrations = modules.flatMap(({ place, module }) => (module.up ? [{ name: place, up: module.up }] : []))
    await store.migrate(migrations)
    for (const { place, module } of modules)
      if (typeof module.default === 'function') await runExample(place, module.default, store)
  })
})

test('5.1 every example of the documentation has the types of the SDK', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ig-examples-'))
  try {
    for (const [index, { source }] of examples.entries()) await writeFile(join(folder, `example-${index}.ts`), source)
    const compilerOptions = {
      paths: {
        'integration-gateway': [typesOf('sdk')],
        'integration-gateway/testing': [typesOf('testing')],
        zod: [join(root, 'node_modules/zod/index.d.ts')],
      },
      typeRoots: [join(root, 'node_modules/@types')],
    }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const faults = await promisify(execFile)(process.execPath, [tsc, '--project', folder]).catch(({ stdout }) => stdout)
    assert.deepEqual(String(faults.stdout ?? faults).match(/^.*example-.*$/gm), null)
  } finally {
    await rm(folder, { recursive: true })
  }
})

async function runJobExample(handler: JobClass): Promise<void> {
  const reference = 'handlers/example.ts'
  const nodes = [{ name: 'LOCAL_NODE', isDefaultLocal: true }]
  const jobs = [{ name: 'EXAMPLE', every: '1d', handler: reference }]
  const project = { configuration: { nodes, jobs }, handlers: { [reference]: handler }, migrations }
  await using gateway = await openTestGateway({ project })
  const { outcome, error } = await gateway.runJob('EXAMPLE')
  assert.equal(outcome, 'succeeded', String(error))
}

async function runExample(place: string, handler: HandlerClass, store: Store): Promise<void> {
  if ('run' in handler.prototype) return runJobExample(handler as unknown as JobClass)
  const echo = describeOperation(handler, { name: 'ECHO', method: 'GET', templates: [echoTemplate()] })
  const readsJson = String(handler).includes('getJson')
  const { response } = await succeed({
    handler,
    store,
    headers: readsJson ? { 'content-type': 'application/json' } : {},
    operation: { method: 'GET', cacheKeyPolicy: 'shared' },
    operations: [echo],
    values: { parameter1: 'x' },
    body: readsJson ? '{"name":"Ann","salary":120}' : '<request><row><key>a</key><value>bc</value></row></request>',
  })
  assert.ok(response, place)
  for await (const piece of response.body.stream?.read() ?? []) assert.ok(piece, place)
}

function echoTemplate(): UriTemplate {
  const type = { type: 'String', isCollection: false, isRequired: false, length: undefined, values: undefined } as const
  const elements = new Map([['parameter1', { name: 'parameter1', ...type }]])
  const parsed = parseUriTemplate('echo/{parameter1}', 1, { name: 'ECHO', elements })
  assert.ok('template' in parsed)
  return parsed.template
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { url, remove } = await (databases[0] as (typeof databases)[number]).open()
  const store = await openStore(url)
  try {
    await work(store)
  } finally {
    await store.close()
    await remove()
  }
}

/** The blocks behind `@example` in the comments of a file. */
async function readExamples(file: string): Promise<readonly Example[]> {
  const text = await readFile(join(src, file), 'utf8')
  return [...text.matchAll(/@example\n *\* ```ts\n([\s\S]*?)\n *\* ```/g)].map((match) => {
    const line = text.slice(0, match.index).split('\n').length
    const source = (match[1] ?? '').replaceAll(/^ *\* ?/gm, '')
    return { place: `${file}:${line}`, source }
  })
}
