/** HEADCOUNT: a report as XML, with a namespace, attributes and CDATA. */
import { createXmlDoc, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type { Tables } from '../tables.ts'

export class Headcount implements Handler {
  async onRequest(request: RequestMessage, { broker, database }: HandlerContext<Tables>) {
    const departments = await database
      .selectFrom('EMPLOYEE')
      .select(({ fn }) => ['DEPTID', fn.countAll<number>().as('COUNT')])
      .groupBy('DEPTID')
      .orderBy('DEPTID')
      .execute()
    const document = createXmlDoc('hr:report')
    document.root.setAttribute('xmlns:hr', 'urn:example:hr').addElement('hr:title').addCData('Employees & departments')
    for (const { DEPTID, COUNT } of departments)
      document.root.addElement('hr:department', String(COUNT)).setAttribute('id', DEPTID)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
