/** `ig administrator token`: API tokens for automation that has the database (specification 31.5). */
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { lowerRole, type Role, roles } from '../actions/roles.ts'
import { administratorName } from '../actions/schemas.ts'
import { digestSecret, makeSecret } from '../admin/secrets.ts'
import type { AdministrationStore } from '../store/administration/contract.ts'
import { openStore } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, addAuthorOption, entryOf, readAuthor, type What } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, show } from '../terminal/print.ts'
import { readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { openSubverbs } from '../terminal/subverbs.ts'

interface Options extends AuthorOptions {
  readonly project: string
}

interface TokenOptions extends Options {
  readonly name: string
  readonly role: string
  readonly days: string
  readonly out: string
}

export function addTokenVerb(group: Command): void {
  const { plain } = openSubverbs(group)
  addAuthorOption(plain('token <administrator>', 'create an API token and write it to a file that only you can read'))
    .requiredOption('--out <file>', 'the file, which must not exist; - for standard output')
    .option('--name <name>', 'name of the token, shown in the audit', 'automation')
    .option('--role <role>', `${roles.join(', ')}; never more than the administrator's own`, 'administrator')
    .option('--days <days>', 'days until it expires, 1 to 366', '90')
    .action(createToken)
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
