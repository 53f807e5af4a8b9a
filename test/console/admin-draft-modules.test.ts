/** Which modules a draft may name, and where they are loaded to be checked (specification 18.36, 18.37). */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import type { Configuration } from '../../src/configuration/configuration.ts'
import { openHandlerCheck } from '../../src/project/check-handlers/check-handlers.ts'
import { SessionTokenHandler } from '../../src/sdk.ts'
import { openTestAdmin } from '../support/admin.ts'
import { findDatabase } from '../support/databases.ts'

const place = realpathSync(mkdtempSync(join(tmpdir(), 'ig-modules-')))
const folder = join(place, 'project')
after(() => rmSync(place, { recursive: true }))
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const sound = 'export default class { onRequest() {} }\n'
put('package.json', '{ "type": "module" }')
put('integrationGateway.properties', 'ig.database=postgres://u:secret@h/db')
put('.env', 'secret')
put('data/gateway.sqlite', 'secret')
const nested = ['handlers/.env', 'certs/server.key', 'certs/more/tls.pem', 'database/main', 'database/main-wal']
for (const path of nested) put(path, 'secret')
put('certs/authorities.crt', '')
symlinkSync('../data', join(folder, 'handlers/linked'))
put('node_modules/readme', '')
symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/integration-gateway'))
writeFileSync(join(place, 'outside.mjs'), sound)

const configurationOf = (...handlers: (string | undefined)[]) =>
  ({ nodes: [], operations: handlers.map((handler) => ({ handler, uriTemplates: [] })) }) as unknown as Configuration
const none = configurationOf()
const open = (more: { handlerFolders?: readonly string[]; hidden?: readonly string[]; timeLimit?: number } = {}) =>
  openHandlerCheck({ project: { folder, handlers: new Map() }, handlerFolders: ['handlers/', 'src/'], ...more })

test('18.36 a draft names modules in the folders of handlers, or those that the active revision names', async () => {
  put('scripts/cleanup.mjs', `globalThis.wasCleaned = true\n${sound}`)
  const configuration = configurationOf('scripts/cleanup.mjs', undefined, 'scripts/gone.mjs#X', 'handlers.mjs')
  const problems = await open()(configuration, none)
  assert.deepEqual(
    problems.map(({ path }) => path),
    ['operations[0].handler', 'operations[2].handler', 'operations[3].handler'],
  )
  assert.match(problems[0]?.message ?? '', /^names scripts\/cleanup\.mjs, which is outside the handler folders \(ig\.h/)
  assert.match(problems[1]?.message ?? '', /outside the handler folders/) // and not whether it exists
  const named = configurationOf('scripts/cleanup.mjs')
  assert.deepEqual(await open()(named, configurationOf('scripts/cleanup.mjs#Other')), [])
  assert.deepEqual(await open({ handlerFolders: [''] })(named, none), [])
  assert.ok(!('wasCleaned' in globalThis))
})

test('18.37 modules are loaded in one process for all concurrent requests, and all errors are reported with their location', async () => {
  put('handlers/sdk.ts', `import { Refusal } from 'integration-gateway'\nexport type A = Refusal\n${sound}`)
  for (const name of ['a', 'b']) put(`src/${name}.mjs`, 'throw new Error("process " + process.pid)')
  put('src/other.mjs', 'export const other = 1')
  const configuration = configurationOf('handlers/sdk.ts', 'src/a.mjs', 'src/b.mjs', 'src/other.mjs#X', 'src/none.mjs')
  const check = open()
  const [problems, same] = await Promise.all([check(configuration, none), check(configuration, none)])
  assert.deepEqual(same, problems)
  assert.deepEqual(
    problems.map(({ path }) => path),
    [1, 2, 3, 4].map((index) => `operations[${index}].handler`),
  )
  const [first, second] = problems.map(({ message }) => /src\/[ab]\.mjs:1: process (\d+)/.exec(message)?.[1])
  assert.ok(first && first === second && Number(first) !== process.pid)
  assert.match(problems[2]?.message ?? '', /names an export that src\/other\.mjs does not have: X/)
  assert.match(problems[3]?.message ?? '', /names a file that does not exist: src\/none\.mjs/)
})

test('18.37 a module that is checked has no environment, and can neither read settings nor write, nor start a process', async () => {
  process.env.IG_TEST_SECRET = 'secret'
  put(
    'handlers/curious.mjs',
    `import { readFileSync, writeFileSync } from 'node:fs'
     import { spawnSync } from 'node:child_process'
     import { Worker } from 'node:worker_threads'
     const tried = { environment: Object.keys(process.env) }
     const attempt = async (name, work) => { try { await work(); tried[name] = 'allowed' } catch (error) { tried[name] = error.code } }
     for (const file of ['/etc/passwd', '${folder}/integrationGateway.properties', '${folder}/.env', '${folder}/data/gateway.sqlite'])
       await attempt(file.split('/').at(-1), () => readFileSync(file))
     await attempt('handlers', () => readFileSync('${folder}/handlers/curious.mjs'))
     await attempt('write', () => writeFileSync('${folder}/handlers/more.mjs', ''))
     await attempt('spawn', () => spawnSync('true'))
     await attempt('worker', () => new Worker('', { eval: true, execArgv: [] }))
     await attempt('import', () => import('${place}/outside.mjs'))
     process.stdout.write('secret')
     throw new Error(JSON.stringify(tried))`,
  )
  const [problem] = await open()(configurationOf('handlers/curious.mjs'), none)
  delete process.env.IG_TEST_SECRET
  const tried = JSON.parse(/{.*}/.exec(problem?.message ?? '')?.[0] ?? 'null')
  const denied = 'ERR_ACCESS_DENIED'
  const { environment, handlers, ...others } = tried
  assert.deepEqual([environment.filter((name: string) => name.startsWith('IG_')), handlers], [[], 'allowed'])
  assert.deepEqual(others, {
    passwd: denied,
    'integrationGateway.properties': denied,
    '.env': denied,
    'gateway.sqlite': denied,
    write: denied,
    spawn: denied,
    worker: denied,
    import: denied,
  })
})

test('18.37 keys, dot files, data and files named in settings cannot be read wherever they are; the files next to them can', async () => {
  const paths = [...nested, 'handlers/linked/gateway.sqlite', 'certs/authorities.crt', 'handlers/nosy.mjs']
  put(
    'handlers/nosy.mjs',
    `import { readFileSync } from 'node:fs'
     const isRead = (path) => { try { readFileSync('${folder}/' + path); return true } catch { return false } }
     throw new Error(JSON.stringify(${JSON.stringify(paths)}.filter(isRead)))`,
  )
  const check = open({ hidden: [join(folder, 'database/main')] })
  const [problem] = await check(configurationOf('handlers/nosy.mjs'), none)
  assert.deepEqual(JSON.parse(/\[.*\]/.exec(problem?.message ?? '')?.[0] ?? 'null'), paths.slice(-2))
  symlinkSync(join(place, 'outside.mjs'), join(folder, 'handlers/out.mjs'))
  const [out] = await check(configurationOf('handlers/out.mjs'), none)
  assert.match(out?.message ?? '', /^names a symbolic link that leads out of the project folder/)
})

test('18.37 what a module lacks while it is checked is reported, and so is one that loops or ends its process', async () => {
  put('handlers/needs.mjs', `import { readFileSync } from 'node:fs'\nreadFileSync('/etc/passwd')\n${sound}`)
  put('handlers/broken.mjs', 'export default class {')
  put('handlers/ends.mjs', 'process.send("ready", () => process.exit(3)); await new Promise(() => {})')
  put('handlers/loops.mjs', 'for (;;);')
  const modules = ['handlers/needs.mjs', 'handlers/broken.mjs', 'handlers/sdk.ts', 'handlers/ends.mjs']
  const problems = await open()(configurationOf(...modules), none)
  const [needs, broken, ends] = problems.map(({ message }) => message)
  assert.match(needs ?? '', /needs\.mjs:2: it needs access that modules do not have .*\/etc\/passwd/)
  assert.match(broken ?? '', /cannot be loaded: handlers\/broken\.mjs/)
  assert.equal(ends, 'names a module that ends its process (exit code 3)')
  assert.deepEqual(
    problems.map(({ path }) => path),
    [0, 1, 3].map((index) => `operations[${index}].handler`),
  )
  const [loops] = await open({ timeLimit: 600 })(configurationOf('handlers/loops.mjs'), none)
  assert.match(loops?.message ?? '', /does not finish loading within 0\.6 s/)
})

test('18.37 if no process can be started, the validation says so', () => {
  put('handlers/sound.mjs', sound)
  const module = new URL('../../src/project/check-handlers/check-handlers.ts', import.meta.url).href
  const script = `
    import { closeSync, openSync } from 'node:fs'
    import { openHandlerCheck } from ${JSON.stringify(module)}
    const project = { folder: ${JSON.stringify(folder)}, handlers: new Map() }
    const check = openHandlerCheck({ project, handlerFolders: ['handlers/'] })
    const opened = []
    try { for (;;) opened.push(openSync('/dev/null')) } catch {}
    for (const one of opened.splice(-2)) closeSync(one)
    const problems = await check(${JSON.stringify(configurationOf('handlers/sound.mjs'))}, ${JSON.stringify(none)})
    for (const one of opened) closeSync(one)
    process.stdout.write(JSON.stringify(problems))`
  const limited = 'ulimit -n 64; exec "$0" --conditions=integration-gateway-source --input-type=module --eval "$1"'
  const [problem] = JSON.parse(execFileSync('sh', ['-c', limited, process.execPath, script], { encoding: 'utf8' }))
  assert.equal(problem.path, 'operations[0].handler')
  assert.match(problem.message, /^cannot be checked: a process could not be started: spawn .* EMFILE$/)
})

test('18.37 a module that is loaded here, or was valid and is unchanged, is not loaded again', async () => {
  put('src/part.mjs', 'export const part = 1')
  put('src/whole.mjs', `import './part.mjs'\n${sound}`)
  const check = open()
  const configuration = configurationOf('src/whole.mjs')
  assert.deepEqual(await check(configuration, none), [])
  put('src/part.mjs', 'throw new Error("loaded")')
  assert.deepEqual(await check(configuration, none), [])
  put('src/whole.mjs', `import './part.mjs'\n\n${sound}`)
  assert.match((await check(configuration, none))[0]?.message ?? '', /src\/part\.mjs:1: loaded/)
  const handlers = new Map([['src/whole.mjs', class {} as never]])
  const here = openHandlerCheck({ project: { folder, handlers }, handlerFolders: ['src/'] })
  assert.deepEqual(await here(configuration, none), [])
})

test('18.37, 27.10 the module of a shadow is checked too, and a handler that makes session tokens for each verification', async () => {
  const renewing = 'names a SessionTokenHandler, but the operation has the verification Token'
  put('src/sign-in.ts', "export { SessionTokenHandler as default } from 'integration-gateway'\n")
  put('src/broken.mjs', 'throw new Error("broken")')
  const operation = (handler: unknown, verification: string) => ({ handler, verification, uriTemplates: [] })
  const passed = { passThrough: 'http://127.0.0.1:1/', shadow: 'src/broken.mjs' }
  const draft = (...operations: unknown[]) => ({ nodes: [], operations }) as unknown as Configuration
  const check = open()
  assert.deepEqual(await check(draft(operation('src/sign-in.ts', 'Basic')), none), [])
  const wrong = draft(operation(passed, 'Basic'), operation('src/sign-in.ts', 'Token'))
  const [shadow, token] = (await check(wrong, wrong)).map(({ path, message }) => `${path} ${message}`)
  assert.match(shadow ?? '', /^operations\[0\]\.handler\.shadow .*src\/broken\.mjs:1: broken/)
  assert.ok(token?.startsWith(`operations[1].handler ${renewing}`), token)
  const handlers = new Map([['src/sign-in.ts', SessionTokenHandler]])
  const here = openHandlerCheck({ project: { folder, handlers }, handlerFolders: ['src/'] })
  assert.deepEqual((await here(draft(operation('src/sign-in.ts', 'Token')), none)).length, 1)
})

test('18.36, 18.22, 18.25 a draft that names another module of the project has a problem, and is not activated', async (t) => {
  const { ask } = await openTestAdmin(t, { database: findDatabase('SQLite') })
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'another module' } })
  const value = { service: 'REFERENCE', name: 'OTHER', method: 'GET', handler: 'gateway.config.ts' }
  await ask(`POST /api/drafts/${draft.id}/operations`, { body: value })
  const { body } = await ask(`GET /api/drafts/${draft.id}/problems`)
  const found = body.problems.find(({ field }: { field?: string }) => field === 'handler')
  assert.deepEqual([body.isValid, found?.list, found?.item], [false, 'operations', 'OTHER_GET.v1'])
  assert.match(found.message, /^names gateway\.config\.ts, which is outside the handler folders/)
  const { etag } = await ask(`GET /api/drafts/${draft.id}`)
  const activation = await ask(`POST /api/drafts/${draft.id}/activate`, {
    ifMatch: etag,
    body: { note: '' },
  })
  assert.deepEqual([activation.status, activation.body.code], [422, 'invalidConfiguration'])
})

test('5.60, 18.25 an activated draft keeps the fields of the configuration that are not lists', async (t) => {
  const configure = (configuration: Configuration): Configuration => ({ ...configuration, databaseValues: 'portable' })
  const { ask, opened } = await openTestAdmin(t, { database: findDatabase('SQLite'), configure })
  const { body: draft } = await ask('POST /api/drafts', { body: { title: 'a service' } })
  await ask(`POST /api/drafts/${draft.id}/services`, { body: { name: 'NEXT' } })
  const { etag } = await ask(`GET /api/drafts/${draft.id}`)
  const activation = await ask(`POST /api/drafts/${draft.id}/activate`, { ifMatch: etag, body: { note: '' } })
  assert.equal(activation.status, 200, JSON.stringify(activation.body))
  const { configuration } = opened.gateway.catalog
  assert.ok(configuration.services.some(({ name }) => name === 'NEXT'))
  assert.equal(configuration.databaseValues, 'portable')
})
