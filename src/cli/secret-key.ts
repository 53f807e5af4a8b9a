/** `ig secret-key`: which key encrypts the secrets of the store, and their encryption with a new one (specification 27.31). */
import type { Command } from 'commander'
import { totpPurpose } from '../admin/sign-in/totp.ts'
import { openText, sealedBy, sealText } from '../base/secret-key.ts'
import { loadContributions } from '../feature.ts'
import { requireSecretKey, type StoredSecret } from '../store/secrets.ts'
import type { Store } from '../store/store.ts'
import { type AuthorOptions, addAuthorOption, entryOf, readAuthor } from '../terminal/audited.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson } from '../terminal/print.ts'
import { projectOption, readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'
import { withStore } from '../terminal/with-store.ts'

interface Options extends AuthorOptions {
  readonly project: string
  readonly json?: boolean
}

export function secretKey(command: Command): void {
  const group = command
    .description('The encryption of secrets in the store with ig.secretKey.')
    .addHelpText('after', steps)
  group
    .command('status')
    .summary('count the secrets in the store by encryption key')
    .description('Counts the secrets in the store by encryption key.')
    .option(...projectOption)
    .option('--json', 'print the result as JSON')
    .action(status)
  addAuthorOption(
    group
      .command('rotate')
      .summary('encrypt all secrets with ig.secretKey')
      .description(
        'Encrypts with ig.secretKey every secret in the store that is encrypted with ig.secretKey.previous. ' +
          'Can be interrupted and repeated at any time; instances keep serving.',
      )
      .option(...projectOption),
  ).action(rotate)
}

const steps = `
To replace the key without downtime:
  1. Restart every instance with the current key as ig.secretKey, and the new one as
     ig.secretKey.previous.
  2. Restart every instance with the new one as ig.secretKey, and the old one as
     ig.secretKey.previous.
  3. Run ig secret-key rotate with the settings of step 2.
  4. Restart without ig.secretKey.previous; if responses are stored for
     Idempotency-Keys, wait for ig.idempotency.lifetime first.`

async function status(options: Options): Promise<void> {
  await withProjectStore(options, async (store, settings) => {
    const current = settings.secretKey?.id ?? null
    const counts = new Map<string, number>()
    for (const { sealed } of await listSecrets(store)) {
      const id = sealedBy(sealed)
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    const secrets = [...counts].map(([key, count]) => ({ key, count }))
    if (options.json) return printJson({ current, secrets })
    print(`ig.secretKey: ${current ?? 'not set'}`)
    for (const { key, count } of secrets) print(`${count} encrypted with ${key}`)
  })
}

async function rotate(options: Options): Promise<void> {
  await withProjectStore(options, async (store, settings) => {
    const { secretKey } = settings
    if (!secretKey)
      throw new Failure('ig.secretKey is not set. Set the new key, and the old one as ig.secretKey.previous.')
    const secrets = await listSecrets(store)
    requireSecretKey(
      settings,
      secrets.map(({ sealed }) => sealed),
    )
    const due = secrets.filter(({ sealed }) => sealedBy(sealed) !== secretKey.id)
    let done = 0
    for (const { purpose, sealed, replace } of due) {
      await replace(sealText(secretKey, purpose, openText(secretKey, purpose, sealed)))
      done += 1
      print(`${done} of ${due.length}`)
    }
    if (done > 0) {
      const entry = entryOf(options, { action: 'rotateSecretKey', subject: secretKey.id, after: { secrets: done } })
      await store.administration.audit.append(entry)
    }
    print(
      done === 0
        ? 'Every secret is encrypted with ig.secretKey.'
        : `${done === 1 ? 'One secret is' : `${done} secrets are`} now encrypted with ig.secretKey.`,
    )
    // 26.12: they expire sooner than they could be encrypted again
    if (secretKey.all.length > 1)
      print('Keep ig.secretKey.previous for ig.idempotency.lifetime: stored responses to Idempotency-Keys need it.')
  })
}

/** Every secret of the store that can be decrypted: passwords, sessions and tokens are digests. */
async function listSecrets({ databases, administration }: Store): Promise<readonly StoredSecret[]> {
  const factors = await administration.factors.list()
  return [
    ...(await Promise.all((await loadContributions('secrets')).map((list) => list(databases)))).flat(),
    ...factors
      .filter(({ kind }) => kind === 'totp')
      .map((factor) => ({
        purpose: totpPurpose(factor.id),
        sealed: factor.secret,
        replace: (sealed: string) => administration.factors.reseal(factor, sealed),
      })),
  ]
}

type Settings = ReturnType<typeof readProjectSettings>

async function withProjectStore(
  options: Options,
  work: (store: Store, settings: Settings) => Promise<void>,
): Promise<void> {
  requireProjectFolder(options.project)
  readAuthor(options)
  const settings = readProjectSettings(options.project)
  await withStore(settings.database, (store) => work(store, settings))
}
