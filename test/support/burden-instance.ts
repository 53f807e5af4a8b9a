/** `ig start` of the project of `burden.ts` in a container, with what it says of its end. For tests and for ordeals. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/store/open-store.ts'
import { burdenFiles } from './burden.ts'
import type { Container } from './container.ts'
import { igCommand, installed } from './installed.ts'

export interface BurdenInstance {
  readonly url: string
  readonly adminUrl: string
  readonly metricsUrl: string
  readonly pid: number
  /** Workers and supervisors that ended by themselves, so far. */
  deaths(): number
  /** What it wrote. */
  said(): string
  stop(): Promise<void>
}

export async function openBurden(
  container: Pick<Container, 'prefix' | 'env'>,
  { workers, env = {} }: { readonly workers: number; readonly env?: Readonly<Record<string, string>> },
): Promise<BurdenInstance> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-burden-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(installed, join(folder, 'node_modules/integration-gateway'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(burdenFiles)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'data'))
  const store = await openStore(join(folder, 'data/gateway.sqlite'))
  await store.operators.add({ id: 'GUEST', permissionLists: ['ALL'] })
  await store.close()

  const node = [process.execPath, ...igCommand]
  const command = [...node, 'start', folder, '--port', '0', '--workers', String(workers)]
  const [file = '', ...args] = [...container.prefix, ...command]
  const clean = Object.entries(process.env).filter(([name]) => !/^(IG_|NODE_|npm_)/.test(name))
  const child = spawn(file, args, {
    env: {
      ...Object.fromEntries(clean),
      NO_COLOR: '1',
      IG_ADMIN_PORT: '0',
      IG_METRICS_PORT: '0',
      IG_LIMITS_SHUTDOWNIDLE: '1ms',
      IG_LIMITS_SHUTDOWNGRACE: '1s',
      IG_LOG_LEVEL: '1',
      ...container.env,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let isStopping = false
  let deaths = 0
  const wrote = new EventTarget()
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      deaths += text.split('"workerDied"').length - 1
      said = (said + text).slice(-1_000_000)
      wrote.dispatchEvent(new Event('more'))
    })
  const ended = once(child, 'close').then(() => {
    if (!isStopping) deaths += 1
    said += `\nended: ${child.exitCode} ${child.signalCode}`
    wrote.dispatchEvent(new Event('more'))
  })
  const until = async (pattern: RegExp) => {
    for (;;) {
      const found = pattern.exec(said)?.[1]
      if (found !== undefined) return found
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ig ended before ${pattern}:\n${said}`)
      await once(wrote, 'more')
    }
  }
  const url = await until(/serving \S+ at (http:\S+)/)
  const adminUrl = await until(/administration at (http:\/\/[^\s/]+)/)
  const metricsUrl = await until(/metrics at (http:\S+)/)
  return {
    url,
    adminUrl,
    metricsUrl,
    pid: child.pid ?? 0,
    deaths: () => deaths,
    said: () => said,
    async stop() {
      isStopping = true
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
