/** Drives a server for some seconds from another process, by load.ts or by `wrk`. */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pinned } from './pinned.ts'
import type { Request } from './rows.ts'

export interface Load {
  readonly port: number
  readonly request: Request
  /** Any other status is no measurement. */
  readonly status: number
  readonly connections: number
  readonly seconds: number
}

export interface Measured {
  /** All that came, those of the client's own warm-up included. */
  readonly answers: number
  readonly perSecond: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  /** How often the client looked for an answer and found none; near 0 the client is what was measured. Unknown with `wrk`. */
  readonly clientIdle?: number | undefined
}

export const clients = ['own', 'wrk'] as const
export type Client = (typeof clients)[number]

export function hasWrk(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined
}

/** @throws Error where the server gave anything but the expected answer */
export async function drive(client: Client, load: Load): Promise<Measured> {
  return client === 'wrk' ? driveWithWrk(load) : driveWithOwn(load)
}

const run = promisify(execFile)

async function driveWithOwn(load: Load): Promise<Measured> {
  const [program, ...args] = pinned(1, [process.execPath, join(import.meta.dirname, 'load.ts'), JSON.stringify(load)])
  const { stdout } = await run(program, args)
  return JSON.parse(stdout)
}

async function driveWithWrk({ port, request, connections, seconds }: Load): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-bench-'))
  try {
    const script = join(folder, 'request.lua')
    writeFileSync(script, formatScript(request))
    const settings = ['--threads=1', `--connections=${connections}`, `--duration=${Math.ceil(seconds)}s`]
    const url = `http://127.0.0.1:${port}${request.path}`
    const [program, ...args] = pinned(1, ['wrk', ...settings, `--script=${script}`, url])
    const { stdout } = await run(program, args)
    const { errors, ...measured } = JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
    if (errors > 0) throw new Error(`${errors} answers were not the expected one`)
    return measured
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `wrk` counts statuses from 400 as errors; to look at headers from Lua would cost too much. */
function formatScript({ method, headers, body }: Request): string {
  const quote = (text: string) => `"${text.replace(/[\\"\n]/g, (character) => `\\${character}`)}"`
  const lines = [`wrk.method = ${quote(method)}`]
  for (let index = 0; index < headers.length; index += 2) {
    lines.push(`wrk.headers[${quote(headers[index] ?? '')}] = ${quote(headers[index + 1] ?? '')}`)
  }
  if (body) lines.push(`wrk.body = ${quote(body)}`)
  return `${lines.join('\n')}
function done(summary, latency)
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout
  io.write(string.format('{"answers":%d,"perSecond":%f,"p50":%f,"p99":%f,"errors":%d}\\n',
    summary.requests, summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, errors))
end
`
}
