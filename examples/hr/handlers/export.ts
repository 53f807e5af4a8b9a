/** EMPLOYEE_EXPORT: all employees, row by row, as JSON or CSV: a hundred thousand rows need no more memory than one. */
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
import type { Tables } from '../tables.ts'

type Employee = Pick<Tables['EMPLOYEE'], 'EMPLID' | 'NAME' | 'DEPTID' | 'HIRE_DT'>
const columns = ['EMPLID', 'NAME', 'DEPTID', 'HIRE_DT'] as const

export class Export implements Handler {
  onRequest(request: RequestMessage, { broker, snapshot }: HandlerContext<Tables>) {
    const rows = () => snapshot.selectFrom('EMPLOYEE').select(columns).orderBy('EMPLID').stream()
    const response = broker.createMessage(request.operationName, 'response')
    const isCsv = request.getAcceptedType() === 'text/csv'
    if (isCsv) response.contentType = 'text/csv; charset=UTF-8'
    response.setContentStream(isCsv ? writeCsv(rows) : writeJson(rows))
    return response
  }
}

async function* writeJson(rows: () => AsyncIterable<Employee>) {
  let before = '['
  for await (const row of rows()) {
    yield `${before}${JSON.stringify(row)}`
    before = ',\n'
  }
  yield before === '[' ? '[]' : ']'
}

async function* writeCsv(rows: () => AsyncIterable<Employee>) {
  yield `${columns.join(',')}\r\n`
  for await (const row of rows()) yield `${columns.map((column) => quote(row[column])).join(',')}\r\n`
}

function quote(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}
