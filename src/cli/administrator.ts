/** `ig administrator`: administrators and API tokens, for automation that has the database (specification 31.5). */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { lowerRole, type Role, roles } from '../actions/roles.ts'
import { administratorName } from '../actions/schemas.ts'
import { digestSecret, makeSecret } from '../admin/secrets.ts'
import { hasName } from '../store/administration/administrator-rows.ts'
import type { AdministrationStore } from '../store/administration/contract.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, addAuthorOption, changeOf, entryOf, readAuthor, type What } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, printTable, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { readNewPassword } from '../terminal/read-password.ts'
import { openSubverbs } from '../terminal/subverbs.ts'
import { hashPassword } from '../verification/password.ts'

interface Options extends AuthorOptions {
  readonly project: string
}

interface TokenOptions extends Options {
  readonly name: string
  readonly role: string
  readonly days: string
  readonly out: string
}

export function administrator(command: Command): void {
  const group = command
    .description(
      'The administrators of a gateway and their API tokens, in its database. Administrators can also manage each other in the console.',
    )
    .addHelpText('after', examples)
  const { plain, read, change } = openSubverbs(group)
  addAuthorOption(plain('add <name>', 'add an administrator'))
    .option('--role <role>', roles.join(', '), 'administrator')
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .action(add)
  read('list', 'list all administrators').action(list)
  change('reset-factors <administrator>', 'remove all second factors and recovery codes, and end the sessions').action(
    resetFactors,
  )
  addAuthorOption(plain('token <administrator>', 'create an API token and write it to a file that only you can read'))
    .requiredOption('--out <file>', 'the file, which must not exist; - for standard output')
    .option('--name <name>', 'name of the token, shown in the audit', 'automation')
    .option('--role <role>', `${roles.join(', ')}; never more than the administrator's own`, 'administrator')
    .option('--days <days>', 'days until it expires, 1 to 366', '90')
    .action(createToken)
}

const examples = `
Examples:
  ig administrator add pipeline --password-stdin < /run/secrets/pipeline-password
  ig administrator token pipeline --name ci --out /run/secrets/ig-token`

async function add(name: string, options: Options & { readonly role: string; readonly passwordStdin?: boolean }) {
  const role = readRole(options.role)
  requireName(name)
  const what = { action: 'createAdministrator', subject: name, after: { role } }
  await withAdministration(options, what, async ({ administrators }) => {
    if (hasName(await administrators.list(), name)) throw new Failure(`administrator ${show(name)} already exists.`)
    const passwordHash = await hashPassword(await readNewPassword(name, options.passwordStdin === true))
    if (!(await administrators.add({ name, role, passwordHash, created: Date.now() })))
      throw new Failure(`administrator ${show(name)} already exists.`)
    print(`${show(name)} is added with the role ${role}.`)
  })
}

async function list(options: Options & { readonly json?: boolean }): Promise<void> {
  await withAdministration(options, undefined, async ({ administrators }) => {
    const all = (await administrators.list()).map(({ name, role, isLocked }) => ({ name, role, isLocked }))
    if (options.json) return printJson(all)
    if (all.length === 0) return print('There are no administrators yet. Add the first: ig administrator add <name>')
    const rows = all.map(({ name, role, isLocked }) => [show(name), role, isLocked ? 'locked' : 'active'])
    printTable([['ADMINISTRATOR', 'ROLE', 'STATE'], ...rows])
  })
}

async function createToken(owner: string, options: TokenOptions): Promise<void> {
  const { name, out } = options
  requireName(name)
  const [created, days, id] = [Date.now(), readDays(options.days), randomUUID()]
  const wanted = readRole(options.role)
  const secret = makeSecret()
  const expires = created + days * 86_400_000
  const what = {
    action: 'createToken',
    subject: id,
    after: { name, role: wanted, administrator: owner, expires: new Date(expires).toISOString() },
  }
  await withAdministration(options, what, async ({ administrators, tokens }) => {
    const found = await administrators.find(owner)
    if (!found || found.isLocked) {
      const why = found ? 'is locked' : 'does not exist. Add it: ig administrator add <name>'
      throw new Failure(`administrator ${show(owner)} ${why}.`.replace(/>\.$/, '>'))
    }
    if (lowerRole(found.role, wanted) !== wanted)
      throw new Failure(
        `${show(owner)} has the role ${found.role}; a token cannot have a higher one. Give --role ${found.role}.`,
      )
    if (out !== '-') writeSecret(out, secret)
    const digest = digestSecret(secret)
    const made = { id, digest, name, role: wanted, administrator: owner, created, expires }
    await tokens.add(made, undefined).catch((error) => {
      if (out !== '-') rmSync(out, { force: true })
      throw error
    })
    print(
      out === '-'
        ? secret
        : `The token ${show(name)} of ${show(owner)} is in ${show(out)}; it expires in ${days} days.`,
    )
  })
}

async function resetFactors(name: string, options: Options & { readonly json?: boolean }): Promise<void> {
  const describe = changeOf(options, { action: 'resetSecondFactors', subject: name })
  await withStore(options, async (store) => {
    const { administrators, factors } = store.administration
    if (!(await administrators.find(name))) throw new Failure(`administrator ${show(name)} does not exist.`)
    const removed = (await factors.list(name)).map(({ kind }) => kind)
    const isReset = await store.audited(describe).administration.factors.reset(name)
    if (options.json) return printJson({ administrator: name, removed: isReset ? removed : [] })
    print(
      isReset
        ? `${show(name)} now signs in with the password alone (removed: ${removed.join(', ')}). All sessions have ended.`
        : `${show(name)} has no second factors.`,
    )
  })
}

function writeSecret(file: string, secret: string): void {
  try {
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'exists' : `cannot be written: ${code}`
    throw new Failure(`${show(file)} ${why}. No token was created.`)
  }
}

/** Does not read the configuration, which may have errors. */
function withAdministration(
  options: Options,
  what: What | undefined,
  work: (administration: AdministrationStore) => Promise<void>,
): Promise<void> {
  return withStore(options, (store) =>
    work(what ? store.audited(() => entryOf(options, what)).administration : store.administration),
  )
}

async function withStore(options: Options, work: (store: Store) => Promise<void>): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const store = await openStore(readProjectSettings(options.project).database)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

function readRole(text: string): Role {
  const role = roles.find((each) => each === text)
  if (role) return role
  throw new Failure(`--role must be ${roles.join(', ')}, not ${show(JSON.stringify(text))}.`)
}

function requireName(name: string): void {
  const { error } = administratorName.safeParse(name)
  if (error) throw new Failure(`${show(JSON.stringify(name))} ${error.issues[0]?.message}.`)
}

function readDays(text: string): number {
  const days = Number(text)
  if (Number.isInteger(days) && days >= 1 && days <= 366) return days
  throw new Failure(`--days must be a whole number from 1 to 366, not ${show(JSON.stringify(text))}.`)
}
