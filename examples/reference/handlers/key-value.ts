/** KEY_VALUE: rows of keys and values, staged, read, replaced and removed (specification 9.3 to 9.11). */
import {
  createXmlDoc,
  formatDateTime,
  formatTimestamp,
  type Handler,
  type HandlerContext,
  isXmlText,
  Refusal,
  type RequestMessage,
  type XmlDocument,
  type XmlElement,
} from 'integration-gateway'
import type gateway from '../gateway.config.ts'

const table = 'C_KEY_VALUE'
const columns = ['IBTRANSACTIONID', 'KEY1', 'LONGVALUE', 'ADD_DTTM']
/** In characters. */
const maxKey = 254

type Gateway = typeof gateway
type PostRequest = RequestMessage<Gateway, 'KEY_VALUE_POST'>
type PutRequest = RequestMessage<Gateway, 'KEY_VALUE_PUT'>
type KeyedRequest = RequestMessage<Gateway, 'KEY_VALUE_GET' | 'KEY_VALUE_PUT' | 'KEY_VALUE_DELETE'>
type FilteredRequest = RequestMessage<Gateway, 'KEY_VALUE_GET' | 'KEY_VALUE_DELETE'>

export class KeyValuePost implements Handler {
  async onRequest(request: PostRequest, context: HandlerContext) {
    await context.database.insertRows(table, columns, readRecords(request, context))
    return respond(request, context, describeCall(context))
  }
}

export class KeyValueGet implements Handler {
  async onRequest(request: FilteredRequest, context: HandlerContext) {
    const rows = await context.database
      .selectFrom(table)
      .select(columns)
      .where(({ and }) => and(filterOf(request)))
      .orderBy('ROW_NBR')
      .execute()
    const document = createXmlDoc('response')
    for (const row of rows) {
      const element = document.root.addElement('row')
      element.addElement('IBTRANSACTIONID', row.IBTRANSACTIONID)
      element.addElement('KEY1', row.KEY1)
      element.addElement('LONGVALUE', row.LONGVALUE)
      element.addElement('ADD_DTTM', formatDateTime(row.ADD_DTTM))
    }
    return respond(request, context, document)
  }
}

export class KeyValuePut implements Handler {
  async onRequest(request: PutRequest, context: HandlerContext) {
    const key = requireKey(request)
    await context.database.deleteFrom(table).where('KEY1', '=', key).execute()
    const count = await context.database.insertRows(table, columns, readRecords(request, context, key))
    return respond(request, context, describeCall(context, count))
  }
}

export class KeyValueDelete implements Handler {
  async onRequest(request: FilteredRequest, context: HandlerContext) {
    const { numDeletedRows } = await context.database
      .deleteFrom(table)
      .where(({ and }) => and(filterOf(request)))
      .executeTakeFirst()
    return respond(request, context, describeCall(context, numDeletedRows))
  }
}

/** One record for each `row` of the body, as they come. @param ownKey the only key that rows may have */
async function* readRecords(request: RequestMessage, { transactionId, now }: HandlerContext, ownKey?: string) {
  let number = 0
  for await (const row of request.getXmlElements('request')) {
    if (row.name !== 'row') continue
    number += 1
    const { key = ownKey ?? '', value = '' } = readFields(row)
    if (isTooLong(key)) throw refuseRow(number, `its key has more than ${maxKey} characters`)
    if (ownKey !== undefined && key !== ownKey) throw refuseRow(number, 'its key is not that of the URL')
    yield [transactionId, key, value, formatTimestamp(now())]
  }
}

/** Names of fields count in any letter case, and of a repeated field the last one counts. */
function readFields(row: XmlElement): { key?: string; value?: string } {
  const fields: Record<string, string> = {}
  for (const { name, text } of row.elements()) fields[name.toLowerCase()] = text
  return fields
}

function refuseRow(number: number, fault: string): Refusal {
  return new Refusal('bodyMalformed', fault, { detail: `Row ${number} is refused: ${fault}. No row was stored.` })
}

/** The rows of the URL's key, or those of them that one transaction staged. */
function filterOf(request: FilteredRequest): Record<string, string> {
  const key = requireKey(request)
  const { transaction } = request.getUriDocument()
  return transaction === undefined ? { KEY1: key } : { KEY1: key, IBTRANSACTIONID: transaction }
}

function requireKey(request: KeyedRequest): string {
  const { key } = request.getUriDocument()
  if (key !== '' && isXmlText(key) && !isTooLong(key)) return key
  const detail = `The key is 1 to ${maxKey} characters that XML can carry.`
  throw new Refusal('uriValueInvalid', 'key of the URL', { detail })
}

/** In characters, not in the halves of which JavaScript makes some of them. */
function isTooLong(key: string): boolean {
  return key.length > maxKey && [...key].length > maxKey
}

/** The META document. @param rows written or removed */
function describeCall({ operator, server, transactionId, now }: HandlerContext, rows?: number | bigint): XmlDocument {
  const document = createXmlDoc('response')
  const meta = document.root.addElement('META').setAttribute('isMETA', 'True')
  meta.addElement('OPRID', operator.id)
  meta.addElement('CURRENT_TIME', formatDateTime(now()))
  meta.addElement('TRANSACTION_ID', transactionId)
  meta.addElement('DBNAME', server.dbname)
  if (rows !== undefined) meta.addElement('ROWS', String(rows))
  return document
}

function respond(request: RequestMessage, { broker }: HandlerContext, document: XmlDocument) {
  const response = broker.createMessage(request.operationName, 'response')
  response.setXmlDoc(document)
  return response
}
