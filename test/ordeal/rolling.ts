/** Rolling restarts behind HAProxy as `deploy/` configures it: no call is lost, POSTs too (specification 17.4, 17.5). */
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { send } from '../support/client.ts'
import { patience } from '../support/patience.ts'
import { drainHaproxy, type RunningProxy, refillHaproxy, skipWithout, startProxy } from '../support/proxies.ts'
import {
  connector,
  findPort,
  killProcess,
  type OrdealInstance,
  type OrdealProject,
  openProject,
  rowsOfPost,
} from './instance.ts'
import { addTallies, type Ordeal, type Tally } from './ordeal.ts'

/** Of each trial, at least: 60 × 3,400 are more than 200,000. */
const callsOfTrial = 3_400
const callers = 8

export const rolling: Ordeal = {
  name: 'rolling',
  title:
    'two instances behind HAProxy: the workers of one replaced by SIGHUP, or one drained, stopped and started, while callers GET and POST',
  figure: '0 failed of 200,000 in 60 restarts, each POST stored once',
  trials: 60,
  needs: () => ('skip' in skipWithout('haproxy') ? 'haproxy: apt-get install haproxy' : undefined),
  async open({ seed }) {
    const project = await openProject('PostgreSQL')
    const ports = [await findPort(), await findPort()] as const
    const instances = await Promise.all(ports.map((port) => startServing(project, port)))
    const proxy = await startProxy('haproxy', { plain: ports })
    return {
      async trial(index, random) {
        const prefix = `${seed}-${index}-`
        const load = startLoad(proxy.plainUrl, prefix)
        const which = random() < 0.5 ? 0 : 1
        const restart = random() < 0.5 ? replaceWorkers : stopAndStart
        await load.answered(Math.floor(random() * 500))
        const place = { project, proxy, port: ports[which], server: which === 0 ? 'a' : 'b' }
        instances[which] = await restart(instances[which] as OrdealInstance, place)
        await load.answered(callsOfTrial)
        return { restarts: 1, ...(await load.stop(project)) }
      },
      async close() {
        await proxy[Symbol.asyncDispose]()
        await project.close()
      },
    }
  },
  judge({ calls = 0, failed = 0, lost = 0, twice = 0, posts = 0 }, trials) {
    const faults: string[] = []
    if (failed > 0) faults.push(`${failed} of ${calls} calls failed`)
    if (lost > 0) faults.push(`${lost} POSTs were answered with 200 and are not stored whole`)
    if (twice > 0) faults.push(`${twice} POSTs are stored more than once`)
    if (calls < callsOfTrial * trials) faults.push(`only ${calls} calls`)
    if (posts < calls / 4) faults.push(`only ${posts} of ${calls} calls were POSTs`)
    return faults
  },
}

async function startServing(project: OrdealProject, port: number): Promise<OrdealInstance> {
  const instance = await project.start({ port })
  await instance.until(/"event":"started","worker":2,/)
  return instance
}

async function replaceWorkers(instance: OrdealInstance): Promise<OrdealInstance> {
  const stoppings = () => instance.log().split('"event":"stopping"').length - 1
  const before = stoppings()
  killProcess(instance.pid, 'SIGHUP')
  while (stoppings() < before + 2) await sleep(20)
  return instance
}

/** As docs/how-to/deploying.md tells: drained, stopped, started, and let in again. */
async function stopAndStart(
  instance: OrdealInstance,
  { project, proxy, port, server }: Place,
): Promise<OrdealInstance> {
  await drainHaproxy(proxy, server)
  killProcess(instance.pid, 'SIGTERM')
  await instance.ended
  const next = await startServing(project, port)
  await refillHaproxy(proxy, server)
  return next
}

interface Place {
  readonly project: OrdealProject
  readonly proxy: RunningProxy
  readonly port: number
  /** Its name in HAProxy's configuration. */
  readonly server: string
}

/** Every second call is a POST; one caller of four makes a connection for each call. */
function startLoad(url: string, prefix: string) {
  const posts: string[] = []
  /** Method and status or error of each that failed: `POST502`. */
  const failures: string[] = []
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  let calls = 0
  let isOver = false
  const call = async (agent: Agent) => {
    calls += 1
    const isPost = calls % 2 === 0
    const id = `${prefix}${calls}`
    const line = isPost ? `POST ${connector}/WRITE.v1` : `GET ${connector}/READ.v1`
    const options = { agent, headers: { 'x-id': id }, signal: AbortSignal.timeout(patience) }
    const outcome = await send(url, line, options).then(
      ({ status }) => status,
      (error) => error.code ?? error.name,
    )
    if (outcome !== 200) failures.push(`${line.slice(0, 4).trim()}${outcome}`)
    else if (isPost) posts.push(id)
    for (const { count, resolve } of waiting) if (calls >= count) resolve()
  }
  const calling = Array.from({ length: callers }, async (_, at) => {
    const isNew = at % 4 === 0
    const agent = new Agent({ keepAlive: !isNew })
    while (!isOver) {
      await call(agent)
      if (isNew) await sleep(10) // each closed connection keeps its port for a minute
    }
    agent.destroy()
  })
  return {
    answered(count: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (calls >= count) resolve()
      waiting.push({ count, resolve })
      return promise
    },
    async stop(project: OrdealProject): Promise<Tally> {
      isOver = true
      await Promise.all(calling)
      const stored = await project.count(prefix)
      const count = (isBad: (rows: number) => boolean) => posts.filter((id) => isBad(stored.get(id) ?? 0)).length
      const lost = count((rows) => rows < rowsOfPost)
      const kinds = failures.map((kind) => ({ [kind]: 1 })).reduce<Tally>(addTallies, {})
      return {
        ...kinds,
        calls,
        posts: posts.length,
        failed: failures.length,
        lost,
        twice: count((rows) => rows > rowsOfPost),
      }
    },
  }
}
