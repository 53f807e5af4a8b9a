/** A project whose operations hold much memory, and clients that make them (specification 7.8). */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connector } from './cluster-project.ts'

export const burdenFiles: Readonly<Record<string, string>> = {
  'gateway.config.ts': `
const operation = { service: 'BURDEN', method: 'POST', uriTemplates: ['/'] }
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'BURDEN' }],
  operations: [
    { ...operation, name: 'SMALL', method: 'GET', handler: 'handlers/burden.ts#Small' },
    { ...operation, name: 'TREE', handler: 'handlers/burden.ts#Tree' },
    { ...operation, name: 'ROWS', handler: 'handlers/burden.ts#Rows' },
    { ...operation, name: 'TEXT', handler: 'handlers/burden.ts#Text' },
    { ...operation, name: 'LARGE', method: 'GET', handler: 'handlers/burden.ts#Large', uriTemplates: ['{size}'], documentTemplate: 'LARGE' },
    { ...operation, name: 'CACHED', method: 'GET', handler: 'handlers/burden.ts#CachedAnswer', uriTemplates: ['{size}'], documentTemplate: 'LARGE', cacheKeyPolicy: 'shared' },
    { ...operation, name: 'READ', method: 'GET', handler: 'handlers/burden.ts#Read', uriTemplates: ['{size}'], documentTemplate: 'LARGE' },
  ],
  documents: [{ name: 'LARGE', elements: { size: { type: 'Integer' } } }],
  messages: [{ name: 'LARGE', document: 'LARGE' }],
  permissionLists: [{ name: 'ALL', services: ['BURDEN'] }],
}`,
  'handlers/burden.ts': `
import { createXmlDoc, sql } from 'integration-gateway'
const respond = (request, { broker }) => broker.createMessage(request.operationName, 'response')
const answer = (request, context, content) => {
  const response = respond(request, context)
  response.setContentString(String(content))
  return response
}
export class Small {
  onRequest(request, context) {
    return answer(request, context, 'small')
  }
}
/** As a handler does: it looks at all of it. */
const count = (element) => element.elements().reduce((sum, each) => sum + count(each), 1)
export class Tree {
  async onRequest(request, context) {
    return answer(request, context, count((await request.getXmlDoc()).root))
  }
}
export class Rows {
  async onRequest(request, context) {
    let rows = 0
    for await (const row of request.getXmlElements('request')) {
      const fields = {}
      for (const { name, text } of row.elements()) fields[name.toLowerCase()] = text
      rows += 1
    }
    return answer(request, context, rows)
  }
}
export class Text {
  async onRequest(request, context) {
    return answer(request, context, (await request.getContentString()).length)
  }
}
/** So many rows of the database, as XML. */
export class Read {
  async onRequest(request, context) {
    const { size } = request.getUriDocument()
    const more = "'of some length'"
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ' + Number(size) + ')'
    const some = sql.raw('select * from (' + numbers + ' select i, ' + more + ' as a, ' + more + ' as b, ' + more + ' as c from n)')
    const document = createXmlDoc('response')
    for (const row of (await some.execute(context.database)).rows) {
      const element = document.root.addElement('row')
      for (const name in row) element.addElement(name, String(row[name]))
    }
    const response = respond(request, context)
    response.setXmlDoc(document)
    return response
  }
}
let line
export class Large {
  onRequest(request, context) {
    line ??= '0123456789abcdef'.repeat(64)
    return answer(request, context, line.repeat(request.getUriDocument().size / line.length))
  }
}
/** The same, made once: what a crowd costs that asks for it is the gateway's work, not the handler's. */
export class CachedAnswer {
  onRequest(request, context) {
    const response = new Large().onRequest(request, context)
    response.setRestCache(Date.now() + 3_600_000)
    return response
  }
}`,
}

/** Text of about so many bytes: a beginning, a piece again and again, an end. */
export interface Bomb {
  readonly begin: string
  readonly piece: string
  readonly end: string
  readonly encoding?: 'utf8' | 'utf16le'
}

/** Sends it as fast as it is taken, with a length or in chunks. @returns the status; undefined where there was none */
export async function pour(
  url: string,
  path: string,
  { begin, piece, end, encoding = 'utf8' }: Bomb,
  bytes: number,
  { isChunked = false } = {},
): Promise<number | undefined> {
  const socket = await open(url)
  const status = readStatus(socket)
  const block = Buffer.from(piece.repeat(Math.max(1, Math.floor(65_536 / piece.length))), encoding)
  const blocks = Math.max(1, Math.floor(bytes / block.length))
  const first = Buffer.from(begin, encoding)
  const last = Buffer.from(end, encoding)
  const framing = isChunked
    ? 'Transfer-Encoding: chunked'
    : `Content-Length: ${first.length + blocks * block.length + last.length}`
  socket.write(`POST ${connector}/${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${framing}\r\n\r\n`)
  const moved = nextDrain(socket)
  const send = (part: Buffer) => {
    if (part.length === 0) return true
    if (!isChunked) return socket.write(part)
    socket.write(`${part.length.toString(16)}\r\n`)
    socket.write(part)
    return socket.write('\r\n')
  }
  send(first)
  for (let count = 0; count < blocks && socket.writable; count += 1) {
    if (!send(block)) await moved()
  }
  if (socket.writable) send(last)
  if (isChunked && socket.writable) socket.write('0\r\n\r\n')
  const answered = await status
  socket.destroy()
  return answered
}

/** Asks, and reads nothing: until the gateway ends it, or `end`. */
export async function askAndNeverRead(url: string, path: string) {
  const socket = await open(url)
  socket.pause()
  socket.write(`GET ${connector}/${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
  return { socket, end: () => void socket.destroy() }
}

/** One listener, however often it is waited for. */
function nextDrain(socket: Socket): () => Promise<void> {
  let wake = () => {}
  socket.on('drain', () => wake())
  socket.on('close', () => wake())
  return () => new Promise((resolve) => (socket.writable ? (wake = resolve) : resolve()))
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {}) // its end tells
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

function readStatus(socket: Socket): Promise<number | undefined> {
  return new Promise((resolve) => {
    let head = ''
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1', 0, 64)
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(head) ?? []
      if (status !== undefined) resolve(Number(status))
    })
    socket.on('close', () => resolve(undefined))
  })
}
