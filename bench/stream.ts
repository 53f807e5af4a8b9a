/**
 * A steady stream of calls, for `reload.ts`: a few connections kept alive, one call under way on each. For each line on
 * standard input (a revision to wait for, or nothing) it tells the longest gap without an answer since the last one.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import type { ReloadResult } from './reload.ts'

const { port, path, connections } = JSON.parse(process.argv[2] ?? '') as {
  port: number
  path: string
  connections: number
}
const request = Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)
let last = performance.now()
let maxGap = 0
let maxCall = 0
let answers = 0
/** Revision → when its first answer came, in epoch milliseconds. */
const seen = new Map<string, number>()

for (let index = 0; index < connections; index += 1) {
  let sent = 0
  let held = ''
  const send = () => {
    sent = performance.now()
    socket.write(request)
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }, send)
  socket.setEncoding('latin1').on('data', (text: string) => {
    held += text
    const head = held.indexOf('\r\n\r\n')
    const length = head < 0 ? undefined : /content-length: (\d+)/i.exec(held)?.[1]
    if (length === undefined || held.length < head + 4 + Number(length)) return
    if (!held.startsWith('HTTP/1.1 200 ') || held.includes('ig-refusal')) fail(`not the expected answer:\n${held}`)
    const revision = /ig-revision: (\d+)/i.exec(held)?.[1] ?? ''
    if (!seen.has(revision)) seen.set(revision, Date.now())
    held = ''
    const now = performance.now()
    maxGap = Math.max(maxGap, now - last)
    maxCall = Math.max(maxCall, now - sent)
    last = now
    answers += 1
    send()
  })
  socket.on('error', (error) => fail(error.message))
  socket.on('end', () => fail('the server closed a connection'))
}

for await (const revision of createInterface(process.stdin)) {
  while (revision !== '' && !seen.has(revision)) await new Promise((resolve) => setTimeout(resolve, 5))
  const firstSeen = seen.get(revision)
  const measured: ReloadResult = { maxGap, maxCall, answers, firstSeen }
  console.log(JSON.stringify(measured))
  seen.clear()
  maxGap = maxCall = answers = 0
}
process.exit()

function fail(reason: string): never {
  console.error(reason)
  process.exit(1)
}
