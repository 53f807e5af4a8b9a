/** The answer of the reference project's CACHED_TIME, and one of 4 KB, which is worth compressing. */
import {
  createXmlDoc,
  formatDateTime,
  type Handler,
  type HandlerContext,
  type RequestMessage,
} from 'integration-gateway'

const anHour = 60 * 60 * 1000

export class CachedTime implements Handler {
  onRequest(request: RequestMessage, context: HandlerContext) {
    return respond(request, context, 0)
  }
}

export class CachedPage implements Handler {
  onRequest(request: RequestMessage, context: HandlerContext) {
    return respond(request, context, 50)
  }
}

function respond(request: RequestMessage, { broker, operator, now }: HandlerContext, rows: number) {
  const time = now()
  const document = createXmlDoc('response')
  document.root.addElement('system-time', formatDateTime(time))
  document.root.addElement('current-user', operator.id)
  for (let number = 0; number < rows; number += 1) {
    const row = document.root.addElement('row')
    row.addElement('key', `key-${number}`)
    row.addElement('value', `The value of row ${number}, of some length`)
  }
  const response = broker.createMessage(request.operationName, 'response')
  response.setXmlDoc(document)
  response.setRestCache(time + anHour)
  return response
}
