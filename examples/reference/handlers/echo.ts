/** ECHO: a value of the URL, sent back (specification 9.12). */
import {
  createXmlDoc,
  type Handler,
  type HandlerContext,
  isXmlText,
  Refusal,
  type RequestMessage,
} from 'integration-gateway'

export class Echo implements Handler {
  onRequest(request: RequestMessage, { broker }: HandlerContext) {
    const { parameter1 } = request.getUriDocument()
    const value = String(parameter1 ?? '')
    if (!isXmlText(value)) {
      const detail = 'parameter1 has a character that XML cannot carry.'
      throw new Refusal('uriValueInvalid', 'a value that cannot be echoed', { detail })
    }

    const document = createXmlDoc('response')
    document.root.addElement('parameter1', value)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
