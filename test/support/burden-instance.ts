/** `ig start` of the project of `burden.ts` in a container, with what it says of its end. For tests and for ordeals. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/store/open-store.ts'
import { burdenFiles } from './burden.ts'
import type { Container } from './container.ts'
import { startIg } from './ig-process.ts'
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

  const serving = startIg(['start', folder, '--port', '0', '--workers', String(workers)], {
    command: [...container.prefix, process.execPath, ...igCommand],
    env: {
      IG_ADMIN_PORT: '0',
      IG_METRICS_PORT: '0',
      IG_LIMITS_SHUTDOWNIDLE: '1ms',
      IG_LIMITS_SHUTDOWNGRACE: '1s',
      IG_LOG_LEVEL: '1',
      ...container.env,
      ...env,
    },
  })
  const { log, ended, process: child, until } = serving
  const find = async (pattern: RegExp) => (await until(pattern))[1] ?? ''
  const url = await find(/serving \S+ at (http:\S+)/)
  const adminUrl = await find(/administration at (http:\/\/[^\s/]+)/)
  const metricsUrl = await find(/metrics at (http:\S+)/)
  const isEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    url,
    adminUrl,
    metricsUrl,
    pid: child.pid ?? 0,
    deaths: () => log().split('"workerDied"').length - 1 + (isEnded() ? 1 : 0),
    said: () => (isEnded() ? `${log()}\nended: ${child.exitCode} ${child.signalCode}` : log()),
    async stop() {
      serving.stop()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
