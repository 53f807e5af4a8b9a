/**
 * The serving process of `ig dev`: opens the project, serves the connections that the reloader accepts, and is
 * replaced after a file change (specification 14.3).
 */

import type { Socket } from 'node:net'
import type { AdminSource } from '../../admin/parts.ts'
import { setInterval } from '../../base/timers.ts'
import { findWarnings } from '../../configuration/find-warnings.ts'
import type { ConnectionSource } from '../../http/hand-over.ts'
import { formatProblem } from '../../model/problem.ts'
import { requireSettingsOf } from '../../project/check-settings.ts'
import { openHandlers, openProject, type Project } from '../../project/open-project.ts'
import { StoreUnavailable } from '../../store/faults.ts'
import { startWriterThreads } from '../../store/sqlite/writer-threads.ts'
import { explainFailure } from '../../terminal/explain-failure.ts'
import { colours, hasColour, toTerminal } from '../../terminal/print.ts'
import { readProjectSettings } from '../../terminal/project-options.ts'
import { describeDrift } from '../describe-drift.ts'
import { openProcess } from '../open-process.ts'
import { addSampleOperators } from '../sample-operators.ts'
import { runUntilStopped } from '../stop.ts'
import { onLoopback, withDevelopmentLog } from './development-settings.ts'
import { closeInspector, openInspector } from './inspector.ts'
import { moveSampleIssuer, usesSampleIssuer } from './move-sample-issuer.ts'
import type { FromServer, IssuerPlace, ServerOptions, ToServer } from './server-messages.ts'
import { writeWelcome } from './welcome.ts'

/** Milliseconds between two checks of the reloader. */
const pollInterval = 1000

const openMessage = Promise.withResolvers<{ readonly options: ServerOptions; readonly isFirst: boolean }>()
const issuerMessage = Promise.withResolvers<IssuerPlace | undefined>()
const stopping = new AbortController()
/** The number that the reloader has for each connection. */
const connections = new WeakMap<Socket, number>()
const calls = openEntrance<boolean>()
const administrative = openEntrance<void>()

process.on('message', (message: ToServer, socket?: Socket) => {
  if (message.kind === 'prepare') startWriterThreads(message.database)
  if (message.kind === 'open') openMessage.resolve(message)
  if (message.kind === 'issuer') issuerMessage.resolve(message.issuer)
  if (message.kind === 'stop') {
    closeInspector()
    stopping.abort()
  }
  if (message.kind !== 'connection' || !socket) return
  connections.set(socket, message.id)
  socket.once('close', () => connections.has(socket) && send({ kind: 'closed', id: message.id }))
  if (message.entrance === 'admin') administrative.take(socket)
  else calls.take(socket, message.entrance === 'tls')
})
process.on('disconnect', () => process.exit()) // ordered to, or the reloader is gone
// Node reports no disconnection until the reloader has confirmed a returned connection.
setInterval(() => process.connected || process.exit(), pollInterval).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {}) // the reloader handles them

// Started in advance: everything that does not depend on the project is loaded by now.
await serve(await openMessage.promise).catch(async (error) => {
  const outcome = error instanceof StoreUnavailable ? 'failed' : 'invalid'
  send({ kind: 'failed', text: explainFailure(error, process.env.IG_DEBUG), outcome })
  process.exitCode = 1
})
send({ kind: 'done' }) // after all returned connections: once it arrives, nothing can get lost

async function serve({ options, isFirst }: { options: ServerOptions; isFirst: boolean }): Promise<void> {
  if (isFirst) await openInspector(options.inspect)
  const read = withDevelopmentLog(readProjectSettings(options.folder, options.overrides))
  const onlyHere = onLoopback(read)
  const loopback = {
    ...onlyHere,
    admin: options.adminUrl === undefined ? undefined : onlyHere.admin, // ports are opened at start only
    limits: { ...onlyHere.limits, guessDelay: 0 }, // a client's own tests send wrong passwords
  }
  const project = await openProject(options.folder)
  requireSettingsOf(loopback, project.configuration)
  send({ kind: 'project', clients: findClients(project) })
  const issuer = await issuerMessage.promise
  const { configuration, settings } = issuer
    ? moveSampleIssuer({ configuration: project.configuration, settings: loopback }, issuer.issuer)
    : { configuration: project.configuration, settings: loopback }

  const warnings = [...read.warnings, ...findWarnings(project.configuration, read)].map(formatProblem)
  const served = { ...project, configuration }
  const instance = await openProcess({
    project: served,
    settings,
    runsJobs: options.runsJobs,
    isDevelopment: true,
    log: { format: 'text', showsCalls: process.stdout.isTTY === true, hasColor: hasColour(process.stdout) },
    administration: {
      output: isFirst ? process.stdout : undefined,
      source: openAdminSource(options),
      warn: (warning) => void warnings.push(warning),
    },
    gateway: {
      project: served,
      ...(options.servesRevisions && { findHandlers: openHandlers(project) }),
      source: openSource(options),
      allowsLoopback: true,
      prepare: async (store) => void (await addSampleOperators(store, project.sampleOperators)),
    },
  })
  const { opened: gateway, administration, observe } = instance
  if (!administration) administrative.open((socket) => socket.destroy())

  const drift = options.servesRevisions && describeDrift(gateway.gateway.catalog, configuration, options.folder)
  if (drift) warnings.push(drift)
  const operations = [...gateway.gateway.catalog.services.values()].flatMap((methods) => [...methods.values()])
  const { features } = instance
  const welcome = { opened: gateway, features, project, settings, issuer, administration, from: process.cwd() }
  await runUntilStopped({
    observe,
    grace: settings.limits.shutdownGrace,
    onReady: () => {
      void openInspector(options.inspect)
      void send({
        kind: 'ready',
        welcome: toTerminal(writeWelcome(welcome, colours())),
        warnings,
        operations: operations.map(({ id }) => id).toSorted(),
        port: settings.port,
        shutdownGrace: settings.limits.shutdownGrace,
      })
    },
    supervised: { name: 'process', signals: [], stop: stopping.signal, onLeave: () => void send({ kind: 'leaving' }) },
    close: instance.close,
  })
}

/** Resolves when it is sent. */
function send(message: FromServer): Promise<void> {
  return new Promise((resolve) => process.send?.(message, undefined, {}, () => resolve()))
}

function findClients({ configuration, sampleOperators }: Project) {
  if (!usesSampleIssuer(configuration)) return undefined
  return sampleOperators.flatMap(({ id, email, clientSecret }) => (clientSecret ? [{ id, email, clientSecret }] : []))
}

/** Connections that arrive before the gateway is ready wait. */
function openEntrance<Kind>() {
  const arriving: [Socket, Kind][] = []
  let take = (socket: Socket, kind: Kind): void => void arriving.push([socket, kind])
  return {
    take: (socket: Socket, kind: Kind) => take(socket, kind),
    open(begin: (socket: Socket, kind: Kind) => void) {
      take = begin
      for (const [socket, kind] of arriving.splice(0)) begin(socket, kind)
    },
  }
}

function openSource({ url, tlsUrl }: ServerOptions): ConnectionSource {
  return {
    url,
    tlsUrl,
    start: calls.open,
    giveBack,
    retired: () => void send({ kind: 'retired' }),
  }
}

function openAdminSource({ adminUrl }: ServerOptions): AdminSource | undefined {
  if (adminUrl === undefined) return undefined
  return { url: adminUrl, start: administrative.open, giveBack }
}

/** The reloader has the connection too: what comes from here on is read by the next process. */
async function giveBack(socket: Socket): Promise<void> {
  const id = connections.get(socket)
  connections.delete(socket)
  socket.destroy()
  if (id !== undefined) await send({ kind: 'released', id })
}
