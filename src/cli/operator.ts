/** `ig operator`: the operators of a project's store; a change takes effect in a running gateway within a second (specification 3.2, 3.4). */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { suggest } from '../base/nearest.ts'
import { operatorId } from '../configuration/schema.ts'
import { certificateRule, describeCertificate, parseCertificateName } from '../model/certificate.ts'
import { type EmailAddress, firstLogin, hasPassword, type Operator } from '../model/operator.ts'
import { generatePassword as makePassword } from '../model/password-policy.ts'
import { openStore } from '../store/open-store.ts'
import type { OperatorStore } from '../store/operator-store.ts'
import { type AuthorOptions, changeOf, readAuthor, type What } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { readKnownLists } from '../terminal/known-lists.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { collect, readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { readNewPassword } from '../terminal/read-password.ts'
import { openSubverbs } from '../terminal/subverbs.ts'
import { hashPassword } from '../verification/password.ts'
import { addFileVerbs } from './operator-file.ts'

interface Options extends AuthorOptions {
  readonly project: string
  readonly json?: boolean
}

interface PasswordOptions extends Options {
  readonly passwordStdin?: boolean
  readonly generatePassword?: boolean
}

interface AddOptions extends PasswordOptions {
  readonly description?: string
  readonly email?: readonly string[]
  readonly permissionList?: readonly string[]
  /** False with `--no-password`. */
  readonly password: boolean
  readonly firstLogin?: boolean
}

export function operator(command: Command): void {
  const group = command
    .description('The operators of a project. A running gateway applies a change within a second.')
    .addHelpText('after', examples)
  const subverbs = openSubverbs(group)
  const { change } = subverbs

  change('add <id>', 'add an operator')
    .option('--description <text>', 'the person or system that it stands for')
    .option('--email <[type:]address>', 'an address, repeatable; the first one is primary', collect)
    .option('--permission-list <name>', 'a permission list to grant, repeatable', collect)
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .option('--generate-password', 'generate a password and print it once')
    .option('--no-password', 'for an operator that authenticates with OAuth2 only')
    .option('--first-login', 'let the original or an LDAP server verify the first password (ig.passwords.…)')
    .action(add)
  change(
    'set-email <id> [addresses...]',
    'replace the addresses of an operator: [type:]address, the first one is primary',
  ).action(setEmail)
  change(
    'set-certificates <id> [certificates...]',
    'replace the client certificates of an operator: PEM files, or their names',
  ).action(setCertificates)
  change('set-password <id>', 'give an operator a new password')
    .option('--password-stdin', 'read the password from standard input instead of asking for it')
    .option('--generate-password', 'generate a password and print it once')
    .action(setPassword)
  change('grant <id> <permission-list>', 'grant a permission list').action(grant)
  change('revoke <id> <permission-list>', 'revoke a permission list').action(revoke)
  addFileVerbs(subverbs)
}

const examples = `
Examples:
  ig operator add KIM --email kim@example.com --email home:kim@example.org --permission-list HR_ALL
  ig operator add LEE --generate-password
  ig operator add BATCH --no-password --email batch@example.com --permission-list HR_READ
  pass show hr/kim | ig operator set-password KIM --password-stdin
  ig operator set-email KIM Kim@example.com
  ig operator set-certificates BATCH batch.pem 'subject: O=Example, CN=batch; issuer: O=Example, CN=Example CA'
  ig operator export --out operators.csv
  ig operator import operators.csv --dry-run`

async function add(id: string, options: AddOptions): Promise<void> {
  requireOperatorId(id)
  const emails = parseEmails(options.email ?? [])
  const permissionLists = [...new Set(options.permissionList)]
  await requirePermissionLists(permissionLists, options)
  const { description = '' } = options
  const facts = { id, description, emails, permissionLists }
  const asksPassword = options.password && !options.firstLogin
  const after = { ...facts, ...(asksPassword && { password: '***' }), ...(options.firstLogin && { firstLogin: true }) }
  await withOperators(options, { action: 'createOperator', subject: id, after }, async (operators) => {
    if (await operators.find(id)) throw alreadyThere(id)
    const password = asksPassword ? await findNewPassword(id, options) : undefined
    const isAdded = await operators.add({
      ...facts,
      ...(password !== undefined && { passwordHash: await hashPassword(password) }),
      ...(options.firstLogin && { passwordHash: firstLogin }),
    })
    if (!isAdded) throw alreadyThere(id)
    const hint =
      permissionLists.length === 0
        ? ` It may not call any operation yet. Grant a permission list: ig operator grant ${show(id)} <permission-list>`
        : ''
    await report(operators, id, options, `${show(id)} is added.${hint}`, password)
  })
}

async function setPassword(id: string, options: PasswordOptions): Promise<void> {
  const hidden = { before: { password: '***' }, after: { password: '***' } }
  await withOperators(options, { action: 'setOperatorPassword', subject: id, ...hidden }, async (operators) => {
    if (!(await operators.find(id))) throw await unknownOperator(operators, id)
    const password = await findNewPassword(id, options)
    if (!(await operators.setPasswordHash(id, await hashPassword(password)))) throw await unknownOperator(operators, id)
    await report(operators, id, options, `${show(id)} has a new password.`, password)
  })
}

async function setEmail(id: string, addresses: readonly string[], options: Options): Promise<void> {
  const emails = parseEmails(addresses)
  const has = emails.map(({ address }) => show(address)).join(', ')
  await update(id, options, 'changeOperator', (operators) => operators.setEmails(id, emails), `${show(id)} has ${has}.`)
}

async function setCertificates(id: string, texts: readonly string[], options: Options): Promise<void> {
  const certificates = texts.map(readCertificateName)
  const has = certificates.length > 0 ? certificates.map(show).join(', ') : 'no client certificate'
  const set = (operators: OperatorStore) => operators.setCertificates(id, certificates)
  await update(id, options, 'changeOperator', set, `${show(id)} has ${has}.`)
}

/** A file becomes its fingerprint. */
function readCertificateName(text: string): string {
  const name = parseCertificateName(text)
  if (name !== undefined) return name
  if (!existsSync(text)) throw new Failure(`${show(JSON.stringify(text))} is not a file, and ${certificateRule}.`)
  try {
    return describeCertificate(new X509Certificate(readFileSync(text))).fingerprint
  } catch {
    throw new Failure(`${show(text)} is not a certificate: PEM or DER.`)
  }
}

async function grant(id: string, permissionList: string, options: Options): Promise<void> {
  await requirePermissionLists([permissionList], options)
  const done = `${show(id)} holds ${show(permissionList)}.`
  await update(id, options, 'grantPermissionList', (operators) => operators.grant(id, permissionList), done)
}

/** The configuration may no longer have the list; it can still be revoked. */
async function revoke(id: string, permissionList: string, options: Options): Promise<void> {
  const take = async (operators: OperatorStore) => {
    if (await operators.revoke(id, permissionList)) return true
    const found = await operators.find(id)
    if (!found) return false
    const { permissionLists } = found
    const held = permissionLists.length > 0 ? ` It holds ${permissionLists.map(show).join(', ')}.` : ' It holds none.'
    throw new Failure(
      `${show(id)} does not hold ${show(permissionList)}${suggest(permissionList, permissionLists)}.${held}`,
    )
  }
  await update(id, options, 'revokePermissionList', take, `${show(id)} no longer holds ${show(permissionList)}.`)
}

async function update(
  id: string,
  options: Options,
  action: string,
  make: (operators: OperatorStore) => Promise<unknown>,
  done: string,
): Promise<void> {
  await withOperators(options, { action, subject: id }, async (operators) => {
    if (!(await make(operators))) throw await unknownOperator(operators, id)
    await report(operators, id, options, done)
  })
}

/** Does not read the configuration, so that an operator can be locked while it has errors. */
async function withOperators(
  options: Options,
  what: What | undefined,
  work: (operators: OperatorStore) => Promise<void>,
): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const store = await openStore(readProjectSettings(options.project).database)
  try {
    await work(what ? store.audited(changeOf(options, what)).operators : store.operators)
  } finally {
    await store.close()
  }
}

/** Prints a generated password, because it is stored only as a hash. */
async function report(
  operators: OperatorStore,
  id: string,
  { json, generatePassword }: PasswordOptions,
  message: string,
  password?: string,
): Promise<void> {
  const made = generatePassword ? password : undefined
  const changed = json && (await operators.find(id))
  if (changed) printJson({ ...describe(changed), ...(made !== undefined && { password: made }) })
  else if (json) printJson({ id, isDeleted: true })
  else print(made === undefined ? message : `${message}\nPassword, shown this once: ${made}`)
}

async function findNewPassword(id: string, { passwordStdin, generatePassword }: PasswordOptions): Promise<string> {
  if (!generatePassword) return readNewPassword(id, passwordStdin === true)
  if (passwordStdin) throw new Failure('use --generate-password or --password-stdin, not both.')
  return makePassword()
}

/** Never the hash. */
function describe(operator: Operator) {
  const { id, description, isLocked, emails, certificates = [], permissionLists } = operator
  return { id, description, isLocked, hasPassword: hasPassword(operator), emails, certificates, permissionLists }
}

async function requirePermissionLists(names: readonly string[], { project }: Options): Promise<void> {
  const known = await readKnownLists(project, names)
  for (const name of names) {
    if (known.includes(name)) continue
    const all = known.length > 0 ? `Available: ${known.join(', ')}.` : 'The configuration has none.'
    throw new Failure(`there is no permission list ${show(name)}${suggest(name, known) || '.'} ${all}`)
  }
}

function requireOperatorId(id: string): void {
  if (operatorId.safeParse(id).success) return
  throw new Failure(
    `${show(JSON.stringify(id))} is not an operator id: 1 to 30 characters, no colon, and no space at either end.`,
  )
}

function parseEmails(texts: readonly string[]): readonly EmailAddress[] {
  return [...new Set(texts)].map((text, index) => ({ ...parseEmail(text), isPrimary: index === 0 }))
}

function parseEmail(text: string): Pick<EmailAddress, 'type' | 'address'> {
  const [, type = 'business', address = ''] = /^(?:([A-Za-z]{1,30}):)?(\S+@\S+)$/.exec(text) ?? []
  if (address === '')
    throw new Failure(
      `${show(JSON.stringify(text))} is not an e-mail address: name@example.com or home:name@example.com.`,
    )
  return { type, address }
}

function alreadyThere(id: string): Failure {
  return new Failure(`operator ${show(id)} exists already.`)
}

async function unknownOperator(operators: OperatorStore, id: string): Promise<Failure> {
  const known = (await operators.list()).map((operator) => operator.id)
  return new Failure(`there is no operator ${show(id)}${suggest(id, known) || '.'}`)
}
