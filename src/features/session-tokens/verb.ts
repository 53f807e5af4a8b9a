/** `ig session-token`: the keys of session tokens, and what is revoked of the tokens (specification 27.14). */
import type { Command } from 'commander'
import { openProject } from '../../project/open-project.ts'
import type { ReadSettings } from '../../settings.ts'
import { openStore } from '../../store/open-store.ts'
import { requireSecretKey } from '../../store/secrets.ts'
import type { Store } from '../../store/store.ts'
import { type AuthorOptions, changeOf, entryOf, readAuthor } from '../../terminal/audited.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { requireNamed } from '../../terminal/find-named.ts'
import { print, printJson, printTable, show } from '../../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../../terminal/project-options.ts'
import { readStdin } from '../../terminal/read-password.ts'
import { openSubverbs } from '../../terminal/subverbs.ts'
import { findActive, readConfiguration } from '../../terminal/use-revisions.ts'
import { openSessionTokenRows } from './rows.ts'
import { listKeySecrets, makeSessionKey, maxSessionLife, signsAfter, usesOf } from './session-keys.ts'
import { readTokenId } from './session-token.ts'
import { openSessionTokens } from './verifier.ts'

interface Options extends AuthorOptions {
  readonly project: string
  readonly json?: boolean
}

export function sessionToken(command: Command): void {
  const group = command
    .description('Session tokens and their keys. A running gateway applies a change within a second.')
    .addHelpText('after', examples)
  const { read, change: verb } = openSubverbs(group)
  read('list-keys', 'list the keys, newest first; the public keys are for the configuration of other gateways').action(
    listKeys,
  )
  verb(
    'rotate',
    'add a key that signs from three seconds later on; tokens of the previous key stay valid until they expire',
  ).action(rotate)
  verb('revoke-key <id>', 'revoke a key and all its tokens').action(revokeKey)
  verb('revoke <operator>', 'revoke all session tokens of an operator').action(revokeOperator)
  verb('revoke-token <id>', 'revoke one token, by its id from the log; - reads the token from standard input').action(
    revokeToken,
  )
  verb('create <operator>', 'create a session token for an operator and print it').action(create)
}

const examples = `
Examples:
  ig session-token rotate
  ig session-token revoke KIM
  curl -H "PS_TOKEN: $(ig session-token create DEMO)" <url>`

async function listKeys(options: Options): Promise<void> {
  await withStore(options, async ({ store, now }) => {
    const all = [...usesOf((await openSessionTokenRows(store.databases).read()).keys, now)].map(([key, use]) => ({
      id: key.id,
      use,
      publicKey: key.publicKey,
      created: new Date(key.created).toISOString(),
      ends: key.ends === null ? null : new Date(key.ends).toISOString(),
    }))
    if (options.json) return printJson(all)
    if (all.length === 0)
      return print(
        'There are no keys yet. The first is created when an operation needs it, or by ig session-token rotate.',
      )
    const rows = all.map(({ id, use, publicKey, ends }) => [id, use, publicKey, ends ?? ''])
    printTable([['KEY', 'USE', 'PUBLIC KEY', 'ENDS'], ...rows])
  })
}

async function rotate(options: Options): Promise<void> {
  await withStore(options, async ({ store, settings, now }) => {
    await requireKeysOf(store, settings)
    const key = makeSessionKey(settings.secretKey, now)
    const times = { signs: now + signsAfter, lifetime: settings.sessionToken.lifetime }
    const audited = store.audited(changeOf(options, { action: 'rotateSessionTokenKey', subject: key.id }))
    await openSessionTokenRows(audited.databases).rotateKey(key, times)
    if (options.json) return printJson({ id: key.id, publicKey: key.publicKey })
    print(
      `The key ${key.id} becomes active in ${signsAfter / 1000} seconds. Its public key, for other gateways: ${key.publicKey}`,
    )
  })
}

async function revokeKey(id: string, options: Options): Promise<void> {
  await withStore(options, async ({ store, settings, now }) => {
    const { keys } = await openSessionTokenRows(store.databases).read()
    requireNamed(
      'session token key',
      id,
      keys.map((key) => key.id),
    )
    await requireKeysOf(store, settings)
    const audited = store.audited(changeOf(options, { action: 'revokeSessionTokenKey', subject: id }))
    const isRevoked = await openSessionTokenRows(audited.databases).revokeKey(
      id,
      makeSessionKey(settings.secretKey, now),
    )
    report(options, { id }, isRevoked ? `The key ${show(id)} is revoked.` : `The key ${show(id)} was already revoked.`)
  })
}

async function revokeOperator(operator: string, options: Options): Promise<void> {
  await withStore(options, async ({ store }) => {
    requireNamed(
      'operator',
      operator,
      (await store.operators.list()).map(({ id }) => id),
    )
    const audited = store.audited(changeOf(options, { action: 'revokeSessionTokens', subject: operator }))
    await openSessionTokenRows(audited.databases).revokeOperator(operator)
    report(options, { operator }, `All session tokens of ${show(operator)} are revoked.`)
  })
}

async function revokeToken(given: string, options: Options): Promise<void> {
  const id = readTokenId(given === '-' ? (await readStdin('token')).trim() : given)
  if (id === undefined) throw new Failure('the input is neither a session token nor the id of one.')
  await withStore(options, async ({ store, now }) => {
    const audited = store.audited(changeOf(options, { action: 'revokeSessionToken', subject: id }))
    await openSessionTokenRows(audited.databases).revokeToken({ id, expires: now + maxSessionLife }, now)
    report(options, { id }, `The session token ${show(id)} is revoked.`)
  })
}

async function create(operator: string, options: Options): Promise<void> {
  await withStore(options, async ({ store, settings, now }) => {
    requireNamed(
      'operator',
      operator,
      (await store.operators.list()).map(({ id }) => id),
    )
    const tokens = await openSessionTokens({ settings, store, observe: () => {}, now: Date.now })
    const { token, id, expires } = await tokens.issue(operator, await readNode(options, store))
    const entry = entryOf(options, { action: 'createSessionToken', subject: operator, after: { tokenId: id } })
    await store.administration.audit.append({ ...entry, time: now })
    if (options.json) return printJson({ token, id, expires: new Date(expires).toISOString() })
    print(token)
  })
}

/** The default local node of the active revision, or of the files. */
async function readNode({ project }: Options, store: Store): Promise<string> {
  const active = await findActive(store.revisions)
  const { nodes } = active ? readConfiguration(active) : (await openProject(project)).configuration
  return nodes.find(({ isDefaultLocal }) => isDefaultLocal)?.name ?? ''
}

interface VerbContext {
  readonly store: Store
  readonly settings: ReadSettings
  /** Epoch milliseconds of the database. */
  readonly now: number
}

async function withStore(options: Options, work: (opened: VerbContext) => Promise<void>): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const settings = readProjectSettings(options.project)
  const store = await openStore(settings.database)
  try {
    await work({ store, settings, now: Math.floor(Date.now() + store.clockOffset) })
  } finally {
    await store.close()
  }
}

function report({ json }: Options, facts: object, message: string): void {
  if (json) printJson(facts)
  else print(message)
}

/** The settings must have the secret key of each key in the store. @throws StoreUnavailable */
async function requireKeysOf({ databases }: Store, settings: ReadSettings): Promise<void> {
  const secrets = await listKeySecrets(databases)
  requireSecretKey(
    settings,
    secrets.map(({ sealed }) => sealed),
  )
}
