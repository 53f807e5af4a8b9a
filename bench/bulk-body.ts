/** The body of a large KEY_VALUE POST, made as it is sent, and the call that sends it. */
import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** A hundred bytes and two a row. */
export function* bodyChunks(rowCount: number): Iterable<string> {
  yield '<?xml version="1.0"?><request>'
  for (let first = 0; first < rowCount; first += 1000) {
    const rows = Array.from({ length: Math.min(1000, rowCount - first) }, (_, index) => {
      const number = String(first + index).padStart(8, '0')
      return `<row><key>key${number}</key><value>The value of row ${number} has nearly fifty characters.</value></row>\n`
    })
    yield rows.join('')
  }
  yield '</request>'
}

/** @returns the transaction id, under which the rows are stored @throws Error where the gateway refuses */
export async function postBody(port: number, chunks: Iterable<string> | AsyncIterable<Buffer>): Promise<string> {
  const sent = requestHttp({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/PSIGW/RESTListeningConnector/LOCAL_NODE/KEY_VALUE.v1',
    auth: 'DEMO:demo-password',
    headers: { 'content-type': 'text/xml; encoding="UTF-8"' },
  })
  const body = Readable.from(chunks)
  body.on('error', (error) => sent.destroy(error))
  body.pipe(sent)
  const [response]: [IncomingMessage] = (await once(sent, 'response')) as never
  sent.on('error', () => {}) // a refusal closes the connection before all is sent
  const answer = await text(response)
  const transaction = /<TRANSACTION_ID>([^<]+)</.exec(answer)?.[1]
  if (!transaction) throw new Error(`the bulk POST was refused: ${answer}`)
  return transaction
}
