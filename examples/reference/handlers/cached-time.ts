/**
 * CACHED_TIME: the time and the caller, cached for two minutes (specification 9.13). A second caller receives the first
 * one's response: this operation is here to show it, and says so in its configuration.
 */
import {
  createXmlDoc,
  formatDateTime,
  type Handler,
  type HandlerContext,
  type RequestMessage,
} from 'integration-gateway'

const twoMinutes = 2 * 60 * 1000

export class CachedTime implements Handler {
  onRequest(request: RequestMessage, { broker, operator, now }: HandlerContext) {
    const time = now()
    const document = createXmlDoc('response')
    document.root.addElement('system-time', formatDateTime(time))
    document.root.addElement('current-user', operator.id)
    const response = broker.createMessage(request.operationName, 'response')
    response.setXmlDoc(document)
    response.setRestCache(time + twoMinutes)
    return response
  }
}
