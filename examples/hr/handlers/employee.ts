/** EMPLOYEE, GET: one employee as JSON, 404 if there is none, and only the fields that the URL names. */
import { Answer, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import type { Tables } from '../tables.ts'

export class EmployeeGet implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'EMPLOYEE_GET.v1'>, context: HandlerContext<Tables>) {
    const { emplid, fields = ['NAME', 'DEPTID', 'EMAIL', 'HIRE_DT'] } = request.getUriDocument()
    const employee = await context.database
      .selectFrom('EMPLOYEE')
      .select(['EMPLID', ...fields])
      .where('EMPLID', '=', emplid)
      .executeTakeFirst()
    if (!employee) throw new Answer(404, { error: `There is no employee ${emplid}.` })
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setJson(employee)
    return response
  }
}
