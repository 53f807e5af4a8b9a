/** The whole list as a file, in pages of the store: neither side holds it (specification 21.18). */
import { z } from 'zod'
import { type ActionParts, action, type Caller } from '../../actions/action.ts'
import { byteOrderMark, writeCell } from '../../configuration/operator-file/formula.ts'
import { describe } from './describe-transaction.ts'
import type { ListedTransaction, MonitorFilter, MonitorPage } from './monitored-transaction.ts'
import { readMonitor } from './read-monitor.ts'
import { filters, toFilter, transaction } from './schemas.ts'

const formats = { csv: 'text/csv', jsonl: 'application/jsonl' } as const
type Format = keyof typeof formats

export const exportAction = action({
  operationId: 'exportTransactions',
  tag: 'Monitor',
  summary: 'Get all transactions that match as a file, newest first',
  description:
    'CSV (RFC 4180, with a byte order mark), or JSON lines, with all members of a transaction. The file is sent while it is read: if the connection ends before the file does, it is not complete.',
  method: 'GET',
  path: '/api/monitor/transaction-file',
  access: 'viewer',
  commandLine: {
    verb: 'call export',
    inputs: {
      url: { option: 'url-part', description: 'part of the URL, in any letter case' },
      claimed: { description: 'the name that a refused caller claimed, in any letter case' },
    },
  },
  query: filters.extend({ format: z.enum(['csv', 'jsonl']).default('csv').describe('Format of the file') }),
  streams: Object.values(formats),
  problems: ['monitorOff', 'monitorAway'],
  async handle({ parts, query: { format, ...query }, caller }) {
    const pages = readPages(parts, toFilter(query, caller))
    const first = await pages.next() // what is refused is refused before the file begins
    return {
      stream: {
        type: `${formats[format]}; charset=utf-8`,
        fileName: `calls.${format}`,
        pieces: write(first, pages, format, caller),
      },
    }
  },
})

const pageLength = 500

type Pages = AsyncGenerator<MonitorPage['transactions'], undefined>

async function* readPages(parts: ActionParts, filter: MonitorFilter): Pages {
  let before: MonitorPage['next']
  do {
    const request = { filter, limit: pageLength, before }
    const { transactions, next } = await readMonitor(parts, (store) => store.list(request))
    yield transactions
    before = next
  } while (before)
}

const columns = Object.keys(transaction.shape) as (keyof typeof transaction.shape)[]

async function* write(first: Awaited<ReturnType<Pages['next']>>, pages: Pages, format: Format, caller: Caller) {
  const rowOf = format === 'csv' ? writeCsvRow : writeJsonRow
  const lineOf = (found: ListedTransaction) => rowOf(describe(found, caller))
  if (format === 'csv') yield `${byteOrderMark}${columns.join(',')}\r\n`
  for (let page = first; !page.done; page = await pages.next()) yield page.value.map(lineOf).join('')
}

type Row = ReturnType<typeof describe>

function writeCsvRow(row: Row): string {
  return `${columns.map((column) => writeCell(row[column])).join(',')}\r\n`
}

function writeJsonRow(row: Row): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))}\n`
}
