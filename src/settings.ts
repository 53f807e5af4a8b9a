/**
 * Settings: integrationGateway.properties and the environment, read once at start; no other code reads the environment
 * (specification 8.1 to 8.5). `settings/table.ts` lists all of them; types, checks and descriptions come from it.
 */
import { resolve } from 'node:path'
import { events } from './features.ts'
import { formatProblem, type Problem } from './model/problem.ts'
import { isSecretParameter, unescapeNames } from './model/secret-name.ts'
import { checkTogether } from './settings/check-together.ts'
import { findTlsProblem } from './settings/database-tls.ts'
import { openHandlerSettings } from './settings/handler-settings.ts'
import { database, postgresUrl } from './settings/kinds.ts'
import { type GivenValue, readGiven, variableOf } from './settings/read-given.ts'
import { listRows, type Row, readRows } from './settings/row.ts'
import { addSecrets } from './settings/secret-files.ts'
import { groups, type TableValues, table } from './settings/table.ts'

export { logLevels } from './settings/log-levels.ts'
export { settingsFile } from './settings/read-given.ts'

export type Settings = ReturnType<typeof assemble>
export type AdminSettings = NonNullable<Settings['admin']>
export type ProviderSettings = NonNullable<AdminSettings['oidc']>
export type TlsSettings = NonNullable<AdminSettings['tls']>
export type LogSettings = Settings['log']
export type ProxySettings = NonNullable<Settings['proxies']>
export type Limits = Settings['limits']

/** Stops the start; lists all errors, with keys as paths. */
export class SettingsProblems extends Error {
  override readonly name = 'SettingsProblems'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
  }
}

/** A setting of the command line: it overrides environment and file, and errors name its option. */
export interface SettingOverride {
  readonly value: string
  /** `--port` */
  readonly option: string
}

export interface ReadSettings extends Settings {
  /** Keys without meaning here. */
  readonly warnings: readonly Problem[]
  /** Values and their sources, for display, with masked secrets. */
  readonly given: ReadonlyMap<string, { readonly value: string; readonly source: string }>
}

/** @throws SettingsProblems */
export function readSettings(
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  overrides: Readonly<Record<string, SettingOverride>> = {},
): ReadSettings {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const rows = listRows(table)
  const given = readGiven(folder, environment, rows, { problems, warnings })
  addSecrets(rows, environment, given, problems)
  for (const [key, { value, option }] of Object.entries(overrides)) given.set(key, { value, source: option })

  const values = readRows(table, (row) => parse(row, given.get(row.key), resolve(folder), problems))
  if (problems.length === 0) problems.push(...checkTogether(values, warnings))
  if (problems.length > 0) throw new SettingsProblems(problems)
  for (const { path, url } of [
    { path: 'ig.database', url: values.database },
    { path: 'ig.database.handlers', url: values.databaseHandlers },
  ]) {
    const message = findTlsProblem(url ?? '', environment.PGSSLMODE)
    if (message !== undefined) warnings.push({ path, message })
  }
  const shown = rows.flatMap((row) => {
    const stated = given.get(row.key)
    return stated ? [[row.key, { value: mask(row, stated.value), source: stated.source }] as const] : []
  })
  return { ...assemble(values, environment), warnings, given: new Map(shown) }
}

export interface SettingDescription {
  readonly key: string
  /** Its environment variable. */
  readonly variable: string
  /** Its allowed values. */
  readonly values: string
  readonly fallback: string | undefined
  readonly help: string
  readonly group: string
  /** Paragraph of the specification. */
  readonly see: string | undefined
}

/** Every setting, for `ig settings`, the console and the documentation. */
export function describeSettings(): readonly SettingDescription[] {
  return Object.entries(groups).flatMap(([group, rows]) =>
    listRows(rows).map(({ key, kind, default: fallback, help, see }) => {
      return { key, variable: variableOf(key), values: kind.values, fallback, help, group, see }
    }),
  )
}

const eventNames = new Set(Object.keys(events))

function parse(row: Row, given: GivenValue | undefined, folder: string, problems: Problem[]): unknown {
  const { value = '', source = '' } = given ?? {}
  const text = value.trim() || row.default // an empty value means not set, as in the original's file
  try {
    return text === undefined ? undefined : row.kind.parse(text, folder, eventNames)
  } catch (error) {
    const shown = JSON.stringify(mask(row, value.trim()).slice(0, 80))
    problems.push({ path: row.key, message: `${(error as Error).message}, not ${shown} (${source})` })
  }
}

/** Groups that are off are undefined. */
function assemble(
  { tls, proxies: { trusted: list, clientCertificates, ...proxies }, admin, ...values }: TableValues,
  environment: Parameters<typeof openHandlerSettings>[0],
) {
  const listener = assembleTls(tls, tls)
  const { secretKey, secretKeyPrevious, ...others } = values
  return {
    ...others,
    secretKey: secretKeyPrevious ? secretKey?.withPrevious(secretKeyPrevious) : secretKey,
    /** Settings that modules of the project declare. */
    ofHandlers: openHandlerSettings(environment),
    tls: listener && {
      ...listener,
      port: tls.port,
      ...(tls.clientCa !== undefined && { clientCa: tls.clientCa, clientCrl: tls.clientCrl }),
    },
    hsts: tls.hsts,
    proxies: list && { list, ...proxies, clientCa: clientCertificates ? tls.clientCa : undefined },
    admin:
      admin.port === undefined
        ? undefined
        : { ...admin, port: admin.port, tls: assembleTls(admin.tls, tls), oidc: assembleProvider(admin.oidc) },
  } as const
}

function assembleProvider({ issuer, clientId, ...others }: TableValues['admin']['oidc']) {
  return issuer === undefined || clientId === undefined ? undefined : { issuer, clientId, ...others }
}

/** Absolute paths of PEM files; versions and suites are the same for every listener. */
function assembleTls(
  { cert, key }: Pick<TableValues['tls'], 'cert' | 'key'>,
  { versions, ciphers, strictFiles }: TableValues['tls'],
) {
  if (cert === undefined || key === undefined) return undefined
  return { cert, key, ...versions, ciphers, strictFiles } as const
}

/** A secret is hidden, except for the URL of a database, which loses its password. */
function mask({ isSecret, kind }: Pick<Row, 'isSecret' | 'kind'>, value: string): string {
  return isSecret && kind !== database && kind !== postgresUrl ? '***' : maskDatabase(value)
}

/** Removes the password and the secrets in the query of a URL that is printed. */
export function maskDatabase(database: string): string {
  return database
    .replace(/(\/\/[^:/?#]*):.*@/s, '$1:***@') // to the last @: a password may contain one that is not escaped
    .replace(/^(postgres(?:ql)?:(?:\/\/[^:/?#@[]*:(?!\d{1,5}(?:[/?#]|$))|(?!\/\/)))[^@]*$/is, '$1***') // the host is missing
    .replace(/([?&;])([^?&;=#]{1,200})=[^&#]*/g, (whole, mark, name) => {
      return isSecretParameter(unescapeNames(name)) ? `${mark}${name}=***` : whole
    })
}
