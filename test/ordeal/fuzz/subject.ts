/** What is fuzzed: a gateway that serves the reference project, its administration, its issuer, and what its database holds. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Role, roles } from '../../../src/actions/roles.ts'
import { openProject } from '../../../src/project/open-project.ts'
import { addSampleOperators } from '../../../src/serve/sample-operators.ts'
import { openStore } from '../../../src/store/open-store.ts'
import { hashOnce } from '../../support/hash-once.ts'
import { makeKey, openTestIssuer, type TestIssuer } from '../../support/issuer.ts'
import { killProcess, type OrdealProject, openPlace, startInstance } from '../instance.ts'

export { connector } from '../instance.ts'

export interface Subject {
  readonly url: string
  readonly adminUrl: string
  readonly issuer: TestIssuer
  /** What a client of each role sends, by session and by token. */
  readonly sessions: Readonly<Record<Role, readonly [bySession: string, byToken: string]>>
  /** An open draft, which may be changed at will. */
  readonly draft: string
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** The first finding, to reproduce it. */
  readonly found: string[]
  /** Ends of processes, and errors of the gateway itself, since it was started. */
  failures(): number
}

export interface OpenSubject extends Subject {
  close(): Promise<void>
}

const root = join(import.meta.dirname, '../../..')
export const password = 'a long sentence is a good one'

export async function openFuzzIssuer(): Promise<TestIssuer> {
  const issuer = await openTestIssuer()
  issuer.keys = await Promise.all(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'].map((alg) => makeKey({ alg })))
  return issuer
}

/** `ig start` with two workers and administration. */
export async function openSubject(database: OrdealProject['database']): Promise<OpenSubject> {
  const stack = new AsyncDisposableStack()
  const issuer = await openFuzzIssuer()
  stack.defer(() => issuer.stop())
  const folder = mkdtempSync(join(tmpdir(), 'ig-fuzz-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const source = join(root, 'examples/reference')
  cpSync(source, folder, { recursive: true, filter: (path) => path !== join(source, 'data') })
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/integration-gateway'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const file = join(folder, 'gateway.config.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://127.0.0.1:8090', issuer.issuer))
  const { url, query, remove } = await openPlace(database, folder)
  stack.defer(remove)
  const store = await openStore(url)
  await addSampleOperators(store, (await openProject(folder)).sampleOperators, hashOnce)
  for (const role of roles)
    await store.administration.administrators.add({
      name: `an ${role}`,
      role,
      passwordHash: await hashOnce(password),
      created: Date.now(),
    })
  await store.close()
  const env = {
    IG_DATABASE: url,
    IG_ADMIN_PORT: '0',
    IG_LOG_LEVEL: '-1',
    IG_JSONWEBKEY: issuer.jwksUrl,
    IG_LIMITS_DATABASEWAIT: '60s', // a busy machine is no caller's fault
    IG_LIMITS_GUESSDELAY: '1ms', // what is delayed is the ordeal guessing's
  }
  const instance = await startInstance(folder, 0, env)
  stack.defer(async () => {
    for (const pid of [...instance.workers(), instance.pid]) killProcess(pid)
    await instance.ended
  })
  await instance.until(/administration at (http:\S+)/)
  const [, adminUrl = ''] = /administration at (http:\S+)/.exec(instance.log()) ?? []
  return {
    url: instance.url,
    adminUrl,
    issuer,
    ...(await openAdministration(adminUrl)),
    query,
    found: [],
    failures: () =>
      instance.log().match(/"event":"(?:workerDied|stalled)"|"level":(?:50|60|"error"|"fatal")/g)?.length ?? 0,
    close: () => stack.disposeAsync(),
  }
}

/** Signs in a person of each role, makes each a token, and makes what may be changed at will. */
export async function openAdministration(adminUrl: string): Promise<Pick<Subject, 'sessions' | 'draft'>> {
  const post = async (path: string, headers: Record<string, string>, body: unknown) => {
    const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const response = await fetch(adminUrl + path, { ...options, body: JSON.stringify(body) })
    const text = await response.text()
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${text}`)
    return { headers: response.headers, body: JSON.parse(text) as Record<string, string> }
  }
  let draft = ''
  const signIn = async (role: Role) => {
    const signed = await post('/api/session', {}, { name: `an ${role}`, password })
    const cookie = (signed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const session = { cookie, 'x-csrf-token': String(signed.body.csrfToken) }
    const { token } = (await post('/api/tokens', session, { name: 'fuzz', role, days: 1 })).body
    if (role === 'administrator') {
      draft = String((await post('/api/drafts', session, { title: 'fuzz' })).body.id)
      await post('/api/operators', session, { id: 'VICTIM', permissionLists: ['PUBLIC'] })
      await post('/api/administrators', session, { name: 'a victim', role: 'viewer', password })
    }
    const lines = Object.entries(session).map(([name, value]) => `${name}: ${value}\r\n`)
    return [role, [lines.join(''), `authorization: Bearer ${token}\r\n`]] as const
  }
  const signed: (readonly [Role, readonly [string, string]])[] = []
  for (const role of roles) signed.push(await signIn(role))
  return { sessions: Object.fromEntries(signed) as Subject['sessions'], draft }
}

/** Of one kind. */
const maxFound = 4

export function note({ found }: Subject, fault: string, sent: Buffer | string, answer: Buffer | undefined): void {
  if (found.filter((each) => each.startsWith(`${fault}\n`)).length >= maxFound) return
  const text = (part: Buffer | string = 'nothing') =>
    JSON.stringify(part.toString('latin1').replace(/^([\s\S]{150})[\s\S]+([\s\S]{450})$/, '$1 […] $2'))
  found.push(`${fault}\n  sent ${text(sent)}\n  received ${text(answer)}`)
}
