/**
 * `node bench/where.ts <folder>`: where the processor time of a call goes, from socket to socket.
 * The folder is that of `npm run bench -- METADATA --profile <folder>`; its largest profile is the thread that answers.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

/** The first that fits: a native function by its name, all else by the file of the gateway that called it. */
const parts: readonly (readonly [part: string, files: RegExp, native?: RegExp])[] = [
  ['Idle', /^$/, /^\(idle\)$/],
  ['Write to the socket (system call)', /^$/, /^(?:write(?:Latin1|Utf8)String|writeBuffer|writev)$/],
  ['Read from the socket, event loop (kernel, native code)', /^$/, /^\(program\)$/],
  ['Garbage collection', /^$/, /^\(garbage collector\)$/],
  [
    'Parse the head: llhttp, fields, connection',
    /^http\/(?:llhttp|head|fields|input|connection|states|body-framing|turn|timeouts|incoming-call)/,
  ],
  ['Reply: head and body in one text, delivery', /^(?:http\/|steps\/write-re|model\/content\/response)/],
  [
    'Identity: random ids, session, trace, the clock',
    /^(?:base\/random-text|steps\/begin-transaction|model\/trace|serve\/open-gateway)/,
  ],
  ['Target: path and query, decoded', /^(?:model\/uri\/target|steps\/read-target)/],
  [
    'Operation, caller, permission, URI template, cache',
    /^(?:steps\/(?!run-handler|handler|read-message)|model\/(?:uri|permission|operation))/,
  ],
  [
    'Message, context, transaction of the handler',
    /^(?:steps\/(?:run-handler|handler|read-message)|model\/content|model\/handler|serve\/describe)/,
  ],
  ['The handler: one JSON text', /^handlers\//],
  ['Pipeline: promises, what was found', /^(?:gateway|model\/transaction)/],
  ['Observation: logs, metrics, monitor, `ig explain`', /^(?:observe|model|base|store|serve|settings)/],
]
const other = "Node's sockets, streams and microtasks"

const folder = process.argv[2] ?? '.'
const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
const [largest = ''] = texts.sort((one, two) => two.length - one.length)
const { nodes, samples, timeDeltas } = JSON.parse(largest) as Profile
const byId = new Map(nodes.map((node) => [node.id, node]))
const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))

const times = new Map<string, number>()
const warm = Math.floor(samples.length * 0.4)
for (const [at, sample] of samples.entries()) {
  const part = at < warm ? 'Idle' : findPart(sample)
  if (part !== 'Idle') times.set(part, (times.get(part) ?? 0) + (timeDeltas[at] ?? 0))
}
const total = [...times.values()].reduce((sum, time) => sum + time, 0)
for (const part of [...parts.map(([name]) => name), other]) {
  if (part !== 'Idle') console.log(`| ${part} | ${(((times.get(part) ?? 0) / total) * 100).toFixed(1)} % |`)
}

function findPart(sample: number): string {
  const native = byId.get(sample)?.callFrame.functionName ?? ''
  const named = parts.find(([, , pattern]) => pattern?.test(native))
  if (named) return named[0]
  for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
    const url = byId.get(id)?.callFrame.url ?? ''
    const [, file] = /\/(?:src|dist)\/(?!.*node_modules)(.*)$/.exec(url) ?? /\/(handlers\/.*)$/.exec(url) ?? []
    const found = file === undefined ? undefined : parts.find(([, files]) => files.test(file))
    if (found) return found[0]
    if (url.startsWith('wasm:')) return 'Parse the head: llhttp, fields, connection'
  }
  return other
}
