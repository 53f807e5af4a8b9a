/** HIRE: the same by a SOAP-like request, whatever prefixes its sender uses. */
import { createXmlDoc, type Handler, type HandlerContext, Refusal, type RequestMessage } from 'integration-gateway'
import type { Tables } from '../tables.ts'
import { employee, hire } from './hire.ts'

const namespaces = { s: 'http://schemas.xmlsoap.org/soap/envelope/', hr: 'urn:example:hr' }
const detail = 'The body needs a Hire with emplid, Name, Department, Hired and Salary.'

export class SoapHire implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext<Tables>) {
    const { root } = await request.getXmlDoc()
    const [element] = root.select('s:Body/hr:Hire', namespaces)
    const { data: hired } = employee.safeParse({
      emplid: element?.select('@emplid')[0],
      name: element?.select('hr:Name', namespaces)[0]?.text,
      department: element?.select('hr:Department', namespaces)[0]?.text,
      hired: element?.select('hr:Hired', namespaces)[0]?.text,
      salary: element?.select('hr:Salary', namespaces)[0]?.text,
    })
    if (!hired) throw new Refusal('bodyMalformed', 'no valid Hire', { detail })
    await hire(hired, context)
    const document = createXmlDoc('hr:Hired')
    document.root.setAttribute('xmlns:hr', namespaces.hr).setAttribute('emplid', hired.emplid)
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
