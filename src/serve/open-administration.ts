/** The administration plane of a serving gateway, and its one-time link (specification 18.1 to 18.5). */
import { type AdminServer, openAdminServer } from '../admin/admin-server.ts'
import type { AdminSource } from '../admin/parts.ts'
import { type Output, offerSetupLink, removeSetupLink } from '../admin/setup-link.ts'
import type { OpenFeature } from '../feature.ts'
import type { Observe } from '../model/observation.ts'
import type { CheckHandlers } from '../project/check-handlers/check-handlers.ts'
import type { LoadedHandlers, Project } from '../project/open-project.ts'
import { describeSettings, type ReadSettings } from '../settings.ts'
import { explainNoAdministration, Failure } from '../terminal/explain-failure.ts'
import { warn } from '../terminal/print.ts'
import type { OpenGateway } from './open-gateway.ts'

export interface AdministrationFacts {
  readonly opened: Pick<OpenGateway, 'gateway' | 'url'>
  readonly project: Pick<Project, 'configuration' | 'folder'>
  readonly settings: ReadSettings
  readonly observe: Observe
  /** If revisions are served. */
  readonly checkHandlers?: CheckHandlers | undefined
  readonly handlers?: LoadedHandlers | undefined
  /** The output of the first process of a start; undefined in other processes, which create no link. */
  readonly output: Output | undefined
  readonly source?: AdminSource | undefined
  readonly sharesPort?: boolean
  /** What the features opened. */
  readonly features: readonly OpenFeature[]
}

export interface Administration extends Pick<AdminServer, 'url' | 'close'> {
  /** Until there is an administrator: how to create the first one. */
  readonly setup: string | undefined
}

/** @returns undefined if it is off @throws Failure if its address is not available */
export async function openAdministration(facts: AdministrationFacts): Promise<Administration | undefined> {
  const { opened, project, settings, observe, checkHandlers, handlers, output, source, sharesPort, features } = facts
  const { gateway, url: gatewayUrl } = opened
  const { admin } = settings
  if (!admin) return undefined
  const { url, close } = await openAdminServer({
    admin,
    source,
    sharesPort,
    store: gateway.store,
    settings,
    shownSettings: showSettings(settings),
    catalog: () => gateway.catalog,
    gateway,
    revisions: checkHandlers && handlers && { checkHandlers, handlers },
    files: project.configuration,
    gatewayUrl,
    opened: features,
    observe,
    now: gateway.now,
    onFirstAdministrator: () => removeSetupLink(project.folder),
  }).catch((error) => {
    throw new Failure(explainNoAdministration(error, admin))
  })
  const { folder } = project
  const { condition, store, now } = gateway
  const offers = output && !condition.isStoreOutage // a later start offers it, if there is still no administrator
  const setup = offers ? await offerSetupLink({ store, folder, output, url, now: now() }) : undefined
  return { url, close, setup }
}

/** Serving calls comes first: an unavailable address is a warning. */
export async function tryAdministration(
  facts: AdministrationFacts,
  report = warn,
): Promise<Administration | undefined> {
  try {
    return await openAdministration(facts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    report(error.message)
    facts.observe({ kind: 'event', level: 'error', name: 'administrationMissing', message: error.message })
    return undefined
  }
}

export function describeAdministration({ url, setup }: Administration): string {
  return setup === undefined ? url : `${url}\n  ${setup}`
}

function showSettings({ given }: ReadSettings) {
  return describeSettings().map(({ fallback, ...setting }) => {
    const stated = given.get(setting.key)
    return { ...setting, value: stated?.value ?? fallback ?? null, source: stated?.source ?? 'default' }
  })
}
