/** ECHO: a value of the URL, sent back (specification 9.12). */
import {
  createXmlDoc,
  type Handler,
  type HandlerContext,
  isXmlText,
  Refusal,
  type RequestMessage,
} from 'integration-gateway'
import type gateway from '../gateway.config.ts'

export class Echo implements Handler {
  onRequest(request: RequestMessage<typeof gateway, 'ECHO_GET'>, { broker }: HandlerContext) {
    const { parameter1 } = request.getUriDocument()
    if (!isXmlText(parameter1)) {
      const detail = 'parameter1 has a character that XML cannot carry.'
      throw new Refusal('uriValueInvalid', 'a value that cannot be echoed', { detail })
    }

    const document = createXmlDoc('response')
    document.root.addElement('parameter1', parameter1)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    return response
  }
}
