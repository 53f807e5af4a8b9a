/**
 * The servers that the gateway is compared with: how each is started, which version it is, and what to say where it is
 * not installed. Each gives the reply that the gateway gave; `rounds.ts` checks that it does.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from './peers/job.ts'
import { demo } from './requests.ts'
import { findPort, ownHeaders, type Server, startBare, startProcess, startScript } from './servers.ts'
import { headerOf, type Request, type WireReply } from './wire.ts'

export type Peer = keyof typeof peers

/** What each is found by: a command that tells its version, or a package below bench/peers. */
export const peers = {
  wrk: () => versionBy('wrk', ['-v'], /^wrk (\S+)/),
  nginx: () => (existsSync(headersMore) ? versionBy('nginx', ['-v'], /nginx\/(\S+)/) : undefined),
  varnish: () => versionBy('varnishd', ['-V'], /varnish-([\d.]+)/),
  tomcat: () => (versionBy('javac', ['-version'], /javac (\S+)/) ? tomcatVersion() : undefined),
  fastify: () => versionOf('fastify'),
  express: () => versionOf('express'),
  jose: () => versionOf('jose'),
  autocannon: () => versionOf('autocannon'),
} satisfies Record<string, () => string | undefined>

function versionBy(program: string, args: readonly string[], pattern: RegExp): string | undefined {
  const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return pattern.exec(`${stdout ?? ''}${stderr ?? ''}`)?.[1]
}

const fromPeers = createRequire(join(import.meta.dirname, 'peers/package.json'))

function versionOf(name: string): string | undefined {
  for (const folder of fromPeers.resolve.paths(name) ?? []) {
    const file = join(folder, name, 'package.json')
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')).version
  }
  return undefined
}

const tomcatHome = '/usr/share/tomcat10'
const headersMore = '/usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so'

function tomcatVersion(): string | undefined {
  const jar = join(tomcatHome, 'lib/catalina.jar')
  if (!existsSync(jar)) return undefined
  return versionBy('java', ['-cp', jar, 'org.apache.catalina.util.ServerInfo'], /Apache Tomcat\/(\S+)/)
}

export type OpenPeer = (reply: WireReply, request: Request) => Promise<Server>

export const openBare: OpenPeer = (reply) => startBare(reply)

/** With a long body, which each answer ends. */
export function openBareWith(fill: { readonly bytes: number; readonly text: string }): OpenPeer {
  return (reply) => startScript('bare.ts', { ...ownHeaders({ ...reply, body: Buffer.alloc(0) }), fill })
}
export const openFastify: OpenPeer = (reply) => startScript('peers/fastify.js', jobOf(reply))
export const openExpress: OpenPeer = (reply) => startScript('peers/express.js', jobOf(reply))

export function openJose(keys: object, issuer: string): OpenPeer {
  return (reply) => startScript('peers/jose.ts', { ...ownHeaders(reply), keys, issuer })
}

/** What of the gateway's reply is the same for every call. */
function jobOf({ headers, body }: WireReply): Omit<Job, 'port'> {
  const { dbname, toolsRelease, dbType, serverTimeZone } = JSON.parse(body.toString())
  return {
    keepAlive: keepAliveOf(headers),
    operator: demo,
    contentType: headerOf(headers, 'content-type') ?? '',
    revision: headerOf(headers, 'ig-revision') ?? '',
    dbname,
    toolsRelease,
    dbType,
    serverTimeZone,
  }
}

function keepAliveOf(headers: readonly string[]): number {
  return Number(/timeout=(\d+)/.exec(headerOf(headers, 'keep-alive') ?? '')?.[1])
}

/** Debian's Tomcat in a folder of its own, the servlet compiled as a user would compile it. */
export const openTomcat: OpenPeer = async (reply, probe) => {
  const base = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  const sources = join(import.meta.dirname, 'peers/tomcat')
  const classes = join(base, 'application/WEB-INF/classes')
  for (const folder of [classes, ...['conf', 'logs', 'temp', 'work', 'webapps'].map((name) => join(base, name))]) {
    mkdirSync(folder, { recursive: true })
  }
  cpSync(join(sources, 'server.xml'), join(base, 'conf/server.xml'))
  cpSync(join(tomcatHome, 'etc/catalina.properties'), join(base, 'conf/catalina.properties'))
  const { keepAlive, operator, ...constants } = jobOf(reply)
  const parameters = { operator: operator.id, password: operator.password, ...constants }
  writeFileSync(join(base, 'application/WEB-INF/web.xml'), formatWebXml(parameters))
  const api = join(tomcatHome, 'lib/servlet-api.jar')
  execFileSync('javac', ['-cp', api, '-d', classes, join(sources, 'Metadata.java')])
  const port = await findPort()
  const classpath = ['bootstrap.jar', 'tomcat-juli.jar'].map((name) => join(tomcatHome, 'bin', name)).join(':')
  const properties = {
    'java.awt.headless': true,
    'java.io.tmpdir': join(base, 'temp'),
    'catalina.home': tomcatHome,
    'catalina.base': base,
    'bench.port': port,
    'bench.keepAlive': keepAlive * 1000,
  }
  const settings = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)
  const remove = () => rmSync(base, { recursive: true, force: true })
  return startIn(remove, ['java', ...settings, '-cp', classpath, 'org.apache.catalina.startup.Bootstrap', 'start'], {
    port,
    probe,
  })
}

function formatWebXml(parameters: Readonly<Record<string, string>>): string {
  const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
  const lines = Object.entries(parameters).map(
    ([name, value]) =>
      `<init-param><param-name>${name}</param-name><param-value>${escapeXml(value)}</param-value></init-param>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <servlet><servlet-name>metadata</servlet-name><servlet-class>Metadata</servlet-class>${lines.join('')}</servlet>
  <servlet-mapping><servlet-name>metadata</servlet-name><url-pattern>/PSIGW/RESTListeningConnector/*</url-pattern></servlet-mapping>
</web-app>
`
}

export const openNginx: OpenPeer = async (reply, probe) => {
  return behindOrigin(reply, 'nginx.conf', probe, (file, folder) => ['nginx', '-p', folder, '-c', file])
}

export const openVarnish: OpenPeer = async (reply, probe) => {
  return behindOrigin(reply, 'varnish.vcl', probe, (file, folder, port) => [
    'varnishd',
    ...['-F', '-j', 'none', '-a', `127.0.0.1:${port}`, '-f', file, '-n', join(folder, 'work')],
    ...['-s', 'malloc,64m', '-p', 'thread_pools=1', '-p', 'timeout_idle=65'],
  ])
}

type Command = [string, ...string[]]

/** A cache that gives the replies of a bare server, which it asks once. */
async function behindOrigin(
  reply: WireReply,
  configuration: string,
  probe: Request,
  commandOf: (file: string, folder: string, port: number) => Command,
): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  const origin = await startBare(reply)
  const port = await findPort()
  const file = join(folder, configuration)
  const isRoot = process.getuid?.() === 0
  const values = {
    folder,
    port,
    origin: origin.port,
    keepAlive: keepAliveOf(reply.headers),
    modules: `load_module ${headersMore};`,
    user: isRoot ? 'user root;' : '',
  }
  const text = readFileSync(join(import.meta.dirname, 'peers', configuration), 'utf8')
  writeFileSync(
    file,
    text.replace(/\{(\w+)\}/g, (whole, name: keyof typeof values) => String(values[name] ?? whole)),
  )
  const remove = async () => {
    await origin.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return startIn(remove, commandOf(file, folder, port), { port, probe })
}

async function startIn(
  remove: () => void | Promise<void>,
  command: Command,
  options: { readonly port: number; readonly probe: Request },
): Promise<Server> {
  try {
    const server = await startProcess(command, options)
    return { ...server, stop: () => server.stop().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
