/** ExecuteQuery: the rows of a query that its prompts select, as JSON, XMLP or WEBROWSET. */
import { Answer, createXmlDoc, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import { type Query, queries } from '../queries.ts'

type Rows = Query['rows']

export class ExecuteQuery implements Handler {
  onRequest(request: RequestMessage<typeof gateway, 'QAS_EXECUTEQRY_GET'>, { broker, operator }: HandlerContext) {
    const { ownertype, queryname, format, maxrows = 0, json_resp, ...lists } = request.getUriDocument()
    const query = queries[queryname.toUpperCase()]
    if (!query || query.owner !== (ownertype.toLowerCase() === 'private' ? operator.id : undefined))
      throw new Answer(404, failure(`There is no ${ownertype.toLowerCase()} query ${queryname}.`))

    const prompted = selectRows(query, split(lists.prompt_uniquepromptname), split(lists.prompt_fieldvalue))
    const rows = keepFields(
      maxrows === 0 ? prompted : prompted.slice(0, maxrows),
      split(lists.filterfields).filter((name) => name !== ''),
    )

    const response = broker.createMessage(request.operationName, 'response')
    if (json_resp?.toLowerCase() === 'true' || format.toUpperCase() === 'JSON') {
      response.contentType = 'application/json'
      response.setJson(toJson(queryname, rows))
    } else response.setXmlDoc(format.toUpperCase() === 'XMLP' ? toXmlp(queryname, rows) : toWebRowSet(rows))
    return response
  }
}

/** Names and values belong together by their place in both lists; an empty value selects all, empty lists are none. */
function selectRows({ prompts, rows }: Query, names: readonly string[], values: readonly string[]): Rows {
  if ([...names, ...values].every((text) => text === '')) return rows
  if (names.length !== values.length)
    throw new Answer(400, failure(`The numbers of prompts (${names.length}) and values (${values.length}) differ.`))
  return names.reduce((selected, name, at) => {
    const column = prompts[name]
    if (column === undefined) throw new Answer(400, failure(`The query has no prompt ${name}.`))
    return values[at] === '' ? selected : selected.filter((row) => String(row[column]) === values[at])
  }, rows)
}

function keepFields(rows: Rows, fields: readonly string[]): Rows {
  if (fields.length === 0) return rows
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name))))
}

/** Lists come with commas, encoded or not, or as a repeated parameter. */
function split(texts: readonly string[] = []): readonly string[] {
  return texts.flatMap((text) => text.split(','))
}

/** The original's own error bodies are not public; its clients look for the status `success`. */
function failure(message: string) {
  return { status: 'error', message }
}

/** The name `queryname=` is the original's. */
function toJson(queryname: string, rows: Rows) {
  const numbered = rows.map((row, at) => ({ 'attr:rownumber': at + 1, ...row }))
  return { status: 'success', data: { query: { numrows: rows.length, 'queryname=': queryname, rows: numbered } } }
}

const schemas = 'http://xmlns.oracle.com/Enterprise/Tools/schemas'

function openResults() {
  const document = createXmlDoc('QAS_GETQUERYRESULTS_RESP_MSG')
  document.root.setAttribute('xmlns', `${schemas}/QAS_GETQUERYRESULTS_RESP_MSG.VERSION_2`)
  return document
}

function toXmlp(queryname: string, rows: Rows) {
  const document = openResults()
  const query = document.root.addElement('query')
  query.setAttribute('xmlns', `${schemas}/QAS_QUERYRESULTS_XMLP_RESP.VERSION_1`)
  query.setAttribute('numrows', String(rows.length)).setAttribute('queryname', queryname)
  for (const [at, row] of rows.entries()) {
    const element = query.addElement('row').setAttribute('rownumber', String(at + 1))
    for (const [name, value] of Object.entries(row)) {
      const field = element.addElement(name, typeof value === 'number' ? String(value) : '')
      if (typeof value === 'string') field.addCData(value)
    }
  }
  return document
}

function toWebRowSet(rows: Rows) {
  const document = openResults()
  const set = document.root.addElement('webRowSet').setAttribute('xmlns', 'http://java.sun.com/xml/ns/jdbc')
  const metadata = set.addElement('metadata')
  const columns = Object.keys(rows[0] ?? {})
  metadata.addElement('column-count', String(columns.length))
  for (const [at, name] of columns.entries()) {
    const column = metadata.addElement('column-definition')
    column.addElement('column-index', String(at + 1))
    column.addElement('column-name', name)
  }
  const data = set.addElement('data')
  for (const row of rows) {
    const element = data.addElement('currentRow')
    for (const value of Object.values(row)) element.addElement('columnValue', String(value))
  }
  return document
}
