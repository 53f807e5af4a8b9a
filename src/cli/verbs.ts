/** The verbs of `ig`, for `ig --help` and the documentation. A verb's file is loaded only when it runs, for a faster start. */
import type { Action } from '../actions/action.ts'
import { listedFeatures } from '../feature.ts'
import { mergeContributions } from '../features.ts'
import type { Verb } from '../terminal/verb.ts'

/** A noun of `ig`: its verbs are actions (specification 31.1). */
interface Noun {
  readonly summary: string
  readonly examples?: readonly string[]
  actions(): Promise<readonly Action[]>
  /** Verbs that are more than an action. */
  readonly more?: Verb['load']
}

/** Nouns of the kernel; features bring theirs. */
const nouns = {
  operator: {
    summary: 'add, list and change operators',
    examples: [
      'ig operator add KIM --email kim@example.com --email home:kim@example.org \\\n    --permission-list HR_ALL',
      'ig operator add LEE --generate-password',
      'ig operator add BATCH --no-password --email batch@example.com \\\n    --permission-list HR_READ',
      'pass show hr/kim | ig operator set-password KIM --password-stdin',
      'ig operator set KIM --email Kim@example.com',
      "ig operator set BATCH --certificate batch.pem \\\n    --certificate 'subject: O=Example, CN=batch; issuer: CN=Example CA'",
      'ig operator list --filter isLocked=true --json',
      'ig operator export --out operators.csv',
      'ig operator import operators.csv --dry-run',
    ],
    actions: async () => [
      ...(await import('../admin/routes/operators.ts')).operatorRoutes,
      ...(await import('../admin/routes/operator-access.ts')).operatorAccessRoutes,
      ...(await import('../admin/routes/operator-files.ts')).operatorFileRoutes,
    ],
  },
  revision: {
    summary: 'list, compare, activate and export revisions of the configuration',
    actions: async () => [
      ...(await import('../admin/routes/revisions.ts')).revisionRoutes,
      ...(await import('../admin/routes/activations.ts')).activationRoutes,
    ],
    more: async () => (await import('./revision.ts')).addRevisionVerbs,
  },
  change: {
    summary: 'list what has changed',
    actions: async () => (await import('../admin/routes/changes.ts')).changeRoutes,
  },
  audit: {
    summary: 'list, verify and export the audit',
    actions: async () => (await import('../admin/routes/audit.ts')).auditRoutes,
    more: async () => (await import('./audit.ts')).addAuditVerbs,
  },
  administrator: {
    summary: 'add, list and change administrators, and invite the first',
    examples: [
      'ig administrator add pipeline --password-stdin < /run/secrets/pipeline-password',
      'ig administrator set sam --role viewer',
    ],
    actions: async () => [
      ...(await import('../admin/routes/administrators.ts')).administratorRoutes,
      ...(await import('../admin/routes/invite.ts')).inviteActions,
    ],
  },
  token: {
    summary: 'create, list and revoke API tokens of administrators',
    examples: ['ig token create pipeline --name ci --out /run/secrets/ig-token', 'ig token list --sort expires'],
    actions: async () => (await import('../admin/routes/tokens.ts')).tokenRoutes,
  },
} as const satisfies Readonly<Record<string, Noun>>

/** Former names of verbs, and the new one that their error states. */
export const renamedVerbs: Readonly<Record<string, string>> = {
  'operator set-email': 'ig operator set <id> --email <address>',
  'operator set-certificates': 'ig operator set <id> --certificate <file>',
  revisions: 'ig revision list',
  export: 'ig revision export',
  invite: 'ig administrator invite',
  'administrator token': 'ig token create <administrator>',
  token: 'ig access-token <operator>, for an access token of the sample issuer',
}

export const verbs: Readonly<Record<string, Verb>> = {
  new: { summary: 'create a project', load: async () => (await import('./new.ts')).newProject },
  dev: { summary: 'serve a project for development', load: async () => (await import('./dev.ts')).dev },
  start: { summary: 'serve a project for production', load: async () => (await import('./start.ts')).start },
  'start-worker': {
    summary: 'one of the processes of ig start',
    load: async () => (await import('./start-worker.ts')).startWorker,
    isHidden: true,
  },
  check: { summary: 'check a project for errors', load: async () => (await import('./check.ts')).check },
  try: { summary: 'call an operation, as any operator', load: async () => (await import('./try.ts')).tryCall },
  explain: {
    summary: 'explain the response to a call',
    load: async () => (await import('./explain.ts')).explain,
  },
  can: { summary: 'show who may call what', load: async () => (await import('./can.ts')).can },
  template: {
    summary: 'build URLs from URI templates, and match URLs to them',
    load: async () => (await import('./template.ts')).template,
  },
  healthcheck: {
    summary: 'call every safe operation of a running gateway',
    load: async () => (await import('./healthcheck.ts')).healthcheck,
  },
  compare: {
    summary: 'send the same calls to two servers and compare the answers',
    load: async () => (await import('./compare.ts')).compare,
  },
  report: {
    summary: 'report which operations have moved, who calls them, and which callers would lose access',
    load: async () => (await import('./report.ts')).report,
  },
  import: {
    summary: 'write a project from recordings, descriptions, an access log or definitions',
    load: async () => (await import('./import.ts')).importVerb,
  },
  record: {
    summary: 'write a project of stand-ins from calls that pass to another server',
    load: async () => (await import('./record.ts')).recordVerb,
  },
  apply: { summary: "activate a project's configuration", load: async () => (await import('./apply.ts')).apply },
  revision: nounVerb(nouns.revision),
  diff: {
    summary: 'compare two revisions, or a revision and the files',
    load: async () => (await import('./diff.ts')).diff,
  },
  rollback: {
    summary: 'activate an earlier revision again',
    load: async () => (await import('./rollback.ts')).rollback,
  },
  drift: {
    summary: 'compare the active revision with the files',
    load: async () => (await import('./drift.ts')).drift,
  },
  backup: {
    summary: 'back up the SQLite database, even while the gateway runs',
    load: async () => (await import('./backup.ts')).backUp,
  },
  restore: {
    summary: 'restore the SQLite database from a backup',
    load: async () => (await import('./restore.ts')).restore,
  },
  migrate: {
    summary: 'list or run the pending migrations of the database',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  change: nounVerb(nouns.change),
  audit: nounVerb(nouns.audit),
  administrator: nounVerb(nouns.administrator),
  token: nounVerb(nouns.token),
  ...mergeContributions('verbs'),
  ...nounsOfFeatures(),
  operator: nounVerb(nouns.operator),
  'secret-key': {
    summary: 'encrypt the secrets in the store with a new ig.secretKey',
    load: async () => (await import('./secret-key.ts')).secretKey,
  },
  'access-token': {
    summary: 'fetch an access token for development',
    load: async () => (await import('./access-token.ts')).accessToken,
  },
  completion: {
    summary: 'print the completion script of a shell',
    load: async () => (await import('./completion.ts')).completion,
  },
  settings: { summary: 'list every setting', load: async () => (await import('./settings.ts')).settings },
}

function nounsOfFeatures(): Readonly<Record<string, Verb>> {
  const rows = Object.values(listedFeatures).flatMap(({ nouns = {}, actions = async () => [] }) =>
    Object.entries(nouns).map(([noun, summary]): [string, Verb] => [noun, nounVerb({ summary, actions })]),
  )
  return Object.fromEntries(rows)
}

function nounVerb({ summary, examples = [], actions, more }: Noun): Verb {
  return {
    summary,
    async load() {
      const [{ addActionVerbs }, all, addMore] = await Promise.all([import('./action-verbs.ts'), actions(), more?.()])
      return (command) => {
        addActionVerbs(command, all)
        addMore?.(command)
        if (examples.length > 0) command.addHelpText('after', ['\nExamples:', ...examples].join('\n  '))
      }
    },
  }
}
