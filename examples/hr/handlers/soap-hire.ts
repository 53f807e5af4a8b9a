/** HIRE: the same by a SOAP-like request, whatever prefixes its sender uses. */
import { createXmlDoc, type Handler, type HandlerContext, Refusal, type RequestMessage } from 'integration-gateway'
import type { Tables } from '../tables.ts'
import { hire } from './hire.ts'

const namespaces = { s: 'http://schemas.xmlsoap.org/soap/envelope/', hr: 'urn:example:hr' }

export class SoapHire implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext<Tables>) {
    const { root } = await request.getXmlDoc()
    const [element] = root.select('s:Body/hr:Hire', namespaces)
    const [emplid] = element?.select('@emplid') ?? []
    if (!element || !emplid)
      throw new Refusal('bodyMalformed', 'no Hire', { detail: 'There is no Hire with an emplid.' })
    const read = (name: string) => element.select(`hr:${name}` as 'hr', namespaces)[0]?.text ?? ''
    const [name, department, hired, salary] = ['Name', 'Department', 'Hired', 'Salary'].map(read) as [
      string,
      string,
      string,
      string,
    ]
    await hire({ emplid, name, department, hired, salary }, context)
    const document = createXmlDoc('hr:Hired')
    document.root.setAttribute('xmlns:hr', namespaces.hr).setAttribute('emplid', emplid)
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
