/** Drives a server for some seconds from another core: by `wrk`, or where that is not installed by load.ts. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pinned } from './pinned.ts'
import { exchange, formatRequest, headerOf, type Request } from './wire.ts'

export interface Load {
  readonly port: number
  /** Sent in turn, where there are several. */
  readonly requests: readonly Request[]
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  readonly answers: number
  readonly perSecond: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
}

export const clients = ['wrk', 'own'] as const
export type Client = (typeof clients)[number]

/** @throws Error where the server gave anything but answers of success */
export async function drive(client: Client, load: Load): Promise<LoadResult> {
  await requireSuccess(takeTurn(load))
  endTurn(load.port, 1)
  const turned = takeTurn(load)
  const measured = await (client === 'wrk' ? driveWithWrk(turned) : driveWithOwn(turned))
  endTurn(load.port, measured.answers + load.connections) // each has sent one more, which is not answered
  return measured
}

/** `wrk` looks at the status alone, and that of some refusals is 200. */
async function requireSuccess({ port, requests }: Load): Promise<void> {
  const [request] = requests as [Request]
  const { status, headers } = await exchange(port, request)
  const refusal = headerOf(headers, 'ig-refusal')
  if (status !== 200 || refusal) throw new Error(`${request.path} is answered with ${refusal ?? status}`)
}

/** By port: how many requests that server has had. */
const sent = new Map<number, number>()

/** The requests go on where the last run against the same server ended: a token that is new is not sent twice. */
export function takeTurn<Turned extends Load>(load: Turned): Turned {
  const from = (sent.get(load.port) ?? 0) % load.requests.length
  return { ...load, requests: [...load.requests.slice(from), ...load.requests.slice(0, from)] }
}

export function endTurn(port: number, answers: number): void {
  sent.set(port, (sent.get(port) ?? 0) + answers)
}

const run = promisify(execFile)

async function driveWithOwn(load: Load): Promise<LoadResult> {
  return inFolder(async (folder) => {
    const file = join(folder, 'load.json')
    writeFileSync(file, JSON.stringify(load))
    const [program, ...args] = pinned(1, [process.execPath, join(import.meta.dirname, 'load.ts'), file])
    const { stdout } = await run(program, args)
    return JSON.parse(stdout)
  })
}

async function driveWithWrk(load: Load): Promise<LoadResult> {
  return inFolder(async (folder) => {
    const script = join(folder, 'requests.lua')
    writeFileSync(script, formatScript(load, folder))
    const settings = [
      '--threads=1',
      `--connections=${load.connections}`,
      `--duration=${Math.ceil(load.seconds)}s`,
      '--timeout=30s',
    ]
    const url = `http://127.0.0.1:${load.port}/`
    const [program, ...args] = pinned(1, ['wrk', ...settings, `--script=${script}`, url])
    const { stdout } = await run(program, args)
    const { statuses, late, broken, ...measured } = JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
    if (statuses + late + broken === 0) return measured
    throw new Error(`${statuses} answers of another status, ${late} that took 30 s, ${broken} broken connections`)
  })
}

/** The requests are formatted beforehand: the client does nothing for a call but send it. */
function formatScript({ requests, port }: Load, folder: string): string {
  const messages = requests.map((request) => formatRequest(request, port))
  const file = join(folder, 'requests.bin')
  writeFileSync(file, Buffer.concat(messages))
  const one = `wrk.init = function(args) end
request = function() return whole end`
  const many = `local at, count = 0, #requests
request = function() at = at % count + 1; return requests[at] end`
  return `local file = io.open("${file}", "rb")
whole = file:read("*a")
file:close()
requests = {}
local from = 1
for _, length in ipairs({${messages.map(({ length }) => length).join(',')}}) do
  requests[#requests + 1] = whole:sub(from, from + length - 1)
  from = from + length
end
${requests.length === 1 ? one : many}
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"answers":%d,"perSecond":%f,"p50":%f,"p99":%f,"statuses":%d,"late":%d,"broken":%d}\\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.timeout, errors.connect + errors.read + errors.write))
end
`
}

export async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
