/** EMPLOYEE, version 2: the salary for payroll only, the own row for everyone else without HR_ALL, and JSON or XML by `Accept`. */
import { Answer, createXmlDoc, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import type { Tables } from '../tables.ts'

export class EmployeeV2 implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'EMPLOYEE_GET.v2'>, context: HandlerContext<Tables>) {
    const { emplid } = request.getUriDocument()
    const { database, operator, broker } = context
    const lists = operator.permissionLists
    const employee = await database
      .selectFrom('EMPLOYEE')
      .select(['EMPLID as emplid', 'NAME as name', 'ACTIVE as active'])
      .$if(lists.includes('HR_PAYROLL'), (query) => query.select('SALARY as salary'))
      .$if(!lists.includes('HR_ALL'), (query) => query.where('OPRID', '=', operator.id))
      .where('EMPLID', '=', emplid)
      .executeTakeFirst()
    if (!employee) throw new Answer(404, { error: `There is no employee ${emplid} that you may see.` })
    const response = broker.createMessage(request.operationName, 'response')
    response.setHeader('vary', 'accept')
    if (request.getAcceptedType() !== 'application/xml') {
      response.setJson(employee)
      return response
    }
    const document = createXmlDoc('employee')
    for (const [name, value] of Object.entries(employee)) document.root.addElement(name, String(value))
    response.contentType = 'application/xml'
    response.setXmlDoc(document)
    return response
  }
}
