/** The administration plane beside a serving gateway, and its one-time link (specification 18.1 to 18.5). */
import { inviteFirst } from '../admin/invitation.ts'
import { type OpenAdmin, openAdmin } from '../admin/open-admin.ts'
import type { AdminParts, AdminSource } from '../admin/parts.ts'
import type { Observe } from '../model/observation.ts'
import type { OpenGateway } from '../open-gateway.ts'
import type { FindHandlers, Project } from '../project.ts'
import { describeSettings, type ReadSettings } from '../settings.ts'
import { explainNoAdministration, Failure } from './explain-failure.ts'
import { warn } from './print.ts'

export interface AdministrationFacts {
  readonly opened: Pick<OpenGateway, 'gateway' | 'url'>
  readonly project: Pick<Project, 'configuration'>
  readonly settings: ReadSettings
  readonly observe: Observe
  /** Where revisions are served. */
  readonly findHandlers?: FindHandlers
  /** Undefined where the monitor is off. */
  readonly monitor: AdminParts['monitor']
  /** This process is the first of a start: the link is made for its terminal. */
  readonly invites: boolean
  readonly source?: AdminSource | undefined
  readonly sharesPort?: boolean
  /** What is counted, where it is added up in this process. */
  readonly metrics?: AdminParts['metrics']
}

export interface Administration extends Pick<OpenAdmin, 'url' | 'close'> {
  /** While there is no administrator: the link by which the first one is made. */
  readonly invitation: string | undefined
}

/** @returns undefined where it is off @throws Failure where its address cannot be had */
export async function openAdministration(facts: AdministrationFacts): Promise<Administration | undefined> {
  const { opened, project, settings, observe, findHandlers, monitor, invites, source, sharesPort, metrics } = facts
  const { gateway, url: gatewayUrl } = opened
  const { admin } = settings
  if (!admin) return undefined
  const { url, close } = await openAdmin({
    admin,
    source,
    sharesPort,
    store: gateway.store,
    settings,
    shownSettings: showSettings(settings),
    catalog: () => gateway.catalog,
    restCache: gateway.restCache,
    gateway,
    monitor,
    revisions: findHandlers && { settings, findHandlers },
    files: project.configuration,
    gatewayUrl,
    metrics,
    observe,
    now: gateway.now,
  }).catch((error) => {
    throw new Failure(explainNoAdministration(error, admin))
  })
  return { url, close, invitation: invites ? await inviteFirst(gateway.store, url, gateway.now()) : undefined }
}

/** Serving calls goes first: an address that cannot be had is a warning. */
export async function tryAdministration(facts: AdministrationFacts, tell = warn): Promise<Administration | undefined> {
  try {
    return await openAdministration(facts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    tell(error.message)
    facts.observe({ kind: 'event', level: 'error', name: 'administrationMissing', message: error.message })
    return undefined
  }
}

/** Who has the link is the administrator: it goes to the terminal alone, never to a log. */
export function tellAdministration({ url, invitation }: Administration): string {
  return invitation === undefined ? url : `${url}\n  make the first administrator, once, within a day: ${invitation}`
}

function showSettings({ given }: ReadSettings) {
  return describeSettings().map(({ fallback, ...setting }) => {
    const stated = given.get(setting.key)
    return { ...setting, value: stated?.value ?? fallback ?? null, source: stated?.source ?? 'default' }
  })
}
