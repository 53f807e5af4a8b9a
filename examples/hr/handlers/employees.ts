/** EMPLOYEES: a page of employees, after a cursor, of the departments that the URL names, with their total. */
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import type { Tables } from '../tables.ts'

export class Employees implements Handler {
  async onRequest(
    request: RequestMessage<typeof gateway, 'EMPLOYEES_GET'>,
    { broker, database }: HandlerContext<Tables>,
  ) {
    const { department: departments = [], after = '', limit = 100 } = request.getUriDocument()
    const found = database
      .selectFrom('EMPLOYEE')
      .$if(departments.length > 0, (query) => query.where('DEPTID', 'in', departments))
    const { total } = await found.select(({ fn }) => fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
    const rows = await found
      .select(['EMPLID', 'NAME', 'DEPTID'])
      .where('EMPLID', '>', after)
      .orderBy('EMPLID')
      .limit(limit + 1)
      .execute()
    const employees = rows.slice(0, limit)
    const next = rows.length > limit ? employees.at(-1)?.EMPLID : undefined
    const response = broker.createMessage(request.operationName, 'response')
    response.setJson({ total, employees, next })
    return response
  }
}
