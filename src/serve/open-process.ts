/**
 * One process of an instance, wired: its observers, its gateway and administration (specification 8.5, 18.1, 20.2). `ig
 * start` and `ig dev` pass different options; the testing kit has no observers and opens the pipeline alone.
 */
import type { AdminSource } from '../admin/parts.ts'
import type { Output } from '../admin/setup-link.ts'
import { type FeatureContext, listedFeatures, loadContributions, type OpenFeature } from '../feature.ts'
import { type Observe, toAll } from '../model/observation.ts'
import { openAlerts } from '../observe/alerts.ts'
import { maskings } from '../observe/masking/masking.ts'
import { type LogOptions, openLogs } from '../observe/open-logs.ts'
import { openRecentTransactions } from '../observe/recent-transactions.ts'
import { openStandardOutput } from '../observe/standard-output.ts'
import { type CheckHandlers, openHandlerCheck } from '../project/check-handlers/check-handlers.ts'
import type { FindHandlers, LoadedHandlers, Project } from '../project/open-project.ts'
import { checkDraft } from '../project/substitutes.ts'
import type { ReadSettings } from '../settings.ts'
import { explainListening } from '../terminal/explain-failure.ts'
import { listSecretFiles } from '../tls/key-file.ts'
import { type Administration, openAdministration, tryAdministration } from './open-administration.ts'
import { type OpenGateway, type OpenGatewayOptions, openGateway, openPipeline } from './open-gateway.ts'
import { countElsewhere, openProcessCounters } from './process-counters.ts'
import type { WorkerRole } from './production/worker-messages.ts'

export interface ProcessOptions {
  readonly project: Project
  readonly settings: ReadSettings
  readonly log?: LogOptions
  /** One of several processes; if omitted, this one is the whole instance. */
  readonly worker?: WorkerRole | undefined
  /** False in the process that serves administration for the workers. */
  readonly servesCalls?: boolean
  /** Runs the jobs of the configuration, together with the other processes of the cluster. */
  readonly runsJobs?: boolean | undefined
  readonly isDevelopment?: boolean
  /** If omitted, this process serves no administration. */
  readonly administration?: AdministrationOptions | undefined
  /** Further options of the gateway, besides project, settings and observers. */
  readonly gateway: Partial<OpenGatewayOptions> & { readonly findHandlers?: FindHandlers & LoadedHandlers }
}

export interface AdministrationOptions {
  readonly output: Output | undefined
  readonly source?: AdminSource | undefined
  /** Receives the message if administration is unavailable. Default: a warning on standard error. */
  readonly warn?: (message: string) => void
}

export interface OpenProcess {
  readonly observe: Observe
  readonly opened: OpenGateway
  readonly features: readonly OpenFeature[]
  /** Undefined if it is off, or its address is not available. */
  readonly administration: Administration | undefined
  /** Where features listen. */
  readonly listens: readonly string[]
  close(): Promise<void>
}

export async function openProcess(options: ProcessOptions): Promise<OpenProcess> {
  const { project, settings, worker, servesCalls = true } = options
  await using closing = new AsyncDisposableStack()
  const { observe, counters, features, close: closeObservers, ...observing } = await openObserversAndFeatures(options)
  closing.defer(closeObservers)
  const awaitsAdministration = servesCalls && (worker !== undefined || options.administration !== undefined)
  const own = { project, settings, observe, awaitsAdministration, features }
  const gatewayOptions = { ...own, ...observing, ...options.gateway }
  const opened = await (servesCalls ? openGateway(gatewayOptions) : openForAdministration(gatewayOptions)).catch(
    (error) => {
      throw explainListening(error, settings)
    },
  )
  closing.defer(opened.close)
  counters?.watch(opened.gateway, servesCalls ? opened.count : undefined)
  for (const feature of features) {
    if (feature.close) closing.defer(feature.close)
    await feature.begin?.(opened.gateway, opened.url)
  }
  const listens = features.flatMap((feature) => feature.listens?.() ?? [])
  let administration: Administration | undefined
  if (options.administration) {
    const { warn, ...place } = options.administration
    const facts = {
      opened,
      project,
      settings,
      observe,
      checkHandlers: options.gateway.findHandlers && openHandlerCheckOf(project, settings),
      handlers: options.gateway.findHandlers,
      sharesPort: worker !== undefined,
      features,
      ...place,
    }
    administration = await (servesCalls ? tryAdministration(facts, warn) : openAdministration(facts))
  }
  // Features close when the last call has ended
  closing.defer(() => opened.stopCalls(administration?.close()))
  const { condition } = opened.gateway
  const stopWaiting = () => {
    condition.awaitsAdministration = false
  }
  if (worker) worker.administrationOpened.then(stopWaiting)
  else stopWaiting()
  const all = closing.move()
  return { observe, opened, features, administration, listens, close: () => all.disposeAsync() }
}

/** The observers of the stream of observations, some of them features; closed last, in reverse. */
async function openObserversAndFeatures(options: ProcessOptions) {
  const { project, settings, worker, log = {}, servesCalls = true, runsJobs = false, isDevelopment = false } = options
  const closing = new AsyncDisposableStack()
  const observers: Observe[] = []
  const observe = toAll(observers)
  const output = openStandardOutput()
  closing.defer(output.close)
  const logs = openLogs(settings, output, worker ? { ...log, worker: worker.number } : log)
  closing.defer(logs.close)
  const masking = maskings[settings.log.masking]
  const { recentTransactions: keep } = settings
  const recent = servesCalls ? openRecentTransactions({ folder: project.folder, keep, masking }) : undefined
  if (recent) closing.defer(recent.close)
  observers.push(...[logs, recent].flatMap((observer) => observer?.observe ?? []))
  const features = await openFeatures({
    settings,
    worker: worker?.number,
    workers: worker?.count ?? 1,
    administers: options.administration !== undefined,
    servesCalls,
    runsJobs,
    isDevelopment,
    observe,
    reportCounts: () => counters?.report(), // called later: features open first
  })
  const counts = () => countElsewhere({ logs, output, features })
  const counters = openProcessCounters({ settings, worker, features, counts })
  if (counters) closing.defer(counters.close)
  observers.push(...[...features, counters].flatMap((observer) => observer?.observe ?? []))
  const tracing = features.find(({ traces }) => traces)?.traces
  const alerts = openAlerts({
    observe,
    ...((worker?.number ?? 1) === 1 && { certificates: listCertificates(settings) }),
  })
  closing.defer(alerts.close)
  observers.push(alerts.observe)
  const activeConditions = () =>
    Object.assign({ logFailed: logs.trouble }, ...features.map((each) => each.activeConditions?.()))
  return { observe, counters, tracing, features, activeConditions, close: () => closing.disposeAsync() }
}

/** Those that are on. */
export async function openFeatures(context: FeatureContext): Promise<readonly OpenFeature[]> {
  const opening = (await loadContributions('open')).map((open) => open(context))
  return (await Promise.all(opening)).filter((opened) => opened !== undefined)
}

function listCertificates({ tls, admin }: ReadSettings): Readonly<Record<string, string>> {
  return { ...(tls && { 'ig.tls.cert': tls.cert }), ...(admin?.tls && { 'ig.admin.tls.cert': admin.tls.cert }) }
}

/** Opens a gateway without listeners: the workers take the calls. */
async function openForAdministration(options: OpenGatewayOptions): Promise<OpenGateway> {
  const { host, port, tls } = options.settings
  const place = host.includes(':') ? `[${host}]` : host
  const url = port === undefined ? `https://${place}:${tls?.port}` : `http://${place}:${port}`
  const pipeline = await openPipeline(options)
  const none = {
    tlsUrl: undefined,
    listeners: [],
    count: () => ({ connections: 0, calls: 0 }),
    stopCalls: async (administrationClosed?: Promise<void>) => administrationClosed,
  }
  return { ...none, ...pipeline, url }
}

function openHandlerCheckOf(project: Project, settings: ReadSettings) {
  const { handlerFolders } = settings
  const ofFeatures = Object.values(listedFeatures).flatMap(({ secretFiles }) => secretFiles?.(settings) ?? [])
  const hidden = [...listSecretFiles(settings), ...ofFeatures]
  const check: CheckHandlers = (configuration, active) => checkDraft(configuration, active, settings)
  return openHandlerCheck({ project, handlerFolders, checkDraft: check, hidden })
}
