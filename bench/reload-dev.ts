/**
 * How long `ig dev` takes from its start to the first answer, and from the saving of a handler to the first answer of the
 * new code, while eight connections call without a pause (specification 14.1), as published. Calls that were dropped are
 * counted.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type InstalledPackage, publish } from './published.ts'
import { copyProject, findPort } from './servers.ts'

export interface ReloadDev {
  /** Milliseconds, each sorted. */
  readonly firstAnswer: readonly number[]
  readonly live: readonly number[]
  readonly calls: number
  readonly dropped: number
}

export async function measureReloadDev({ starts = 5, changes = 20 } = {}): Promise<ReloadDev> {
  const published = publish()
  const folder = makeProject(published)
  try {
    const firstAnswer: number[] = []
    for (let start = 0; start <= starts; start++) {
      const server = await startDev(folder, published)
      if (start > 0) firstAnswer.push(server.milliseconds) // the first one fills the compile cache
      await server.stop()
    }
    return { firstAnswer: firstAnswer.sort((a, b) => a - b), ...(await measureChanges(folder, published, changes)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    published.remove()
  }
}

async function measureChanges(folder: string, published: InstalledPackage, changes: number) {
  const server = await startDev(folder, published)
  const file = join(folder, 'handlers/echo.ts')
  const source = readFileSync(file, 'utf8')
  const counts = { calls: 0, dropped: 0 }
  let isOver = false
  const callers = Array.from({ length: 8 }, async (_, index) => {
    const agent = new Agent({ keepAlive: index > 0 }) // one of them connects anew for each call
    while (!isOver) {
      counts.calls++
      await read(server.url, agent).catch(() => counts.dropped++)
      await sleep(2)
    }
    agent.destroy()
  })
  const live: number[] = []
  const agent = new Agent({ keepAlive: true })
  for (let change = 0; change < changes; change++) {
    await sleep(500)
    const since = performance.now()
    writeFileSync(file, source.replace("createXmlDoc('response')", `createXmlDoc('change-${change}')`))
    while (!(await read(server.url, agent).catch(() => '')).includes(`change-${change}`)) await sleep(2)
    live.push(performance.now() - since)
  }
  isOver = true
  await Promise.all(callers)
  agent.destroy()
  await server.stop()
  return { live: live.sort((a, b) => a - b), ...counts }
}

function makeProject({ home }: InstalledPackage): string {
  const folder = mkdtempSync(join(tmpdir(), 'ig-reload-'))
  copyProject('examples/reference', folder, home)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

async function startDev(folder: string, { ig }: InstalledPackage) {
  const [port, issuerPort] = [await findPort(), await findPort()]
  const since = performance.now()
  const ports = ['--port', String(port), '--issuer-port', String(issuerPort), '--admin-port', 'off']
  const child = spawn(process.execPath, [ig, 'dev', folder, ...ports], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}/PSIGW/RESTListeningConnector/LOCAL_NODE/ECHO.v1/echo/x`
  const agent = new Agent()
  while (!(await read(url, agent).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('ig dev ended before it answered')
    await sleep(5)
  }
  return { url, milliseconds: performance.now() - since, stop: () => stopProcess(child) }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

function read(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => text(response).then(resolve, reject)).on('error', reject)
  })
}
