/** METADATA: who is calling, and what answers (specification 9.2). */
import { formatHttpDate, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'

export class Metadata implements Handler {
  onRequest(request: RequestMessage, { broker, operator, server, transactionId, now }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString(
      JSON.stringify({
        currentUser: operator.id,
        dbname: server.dbname,
        toolsRelease: server.toolsRelease,
        [`${server.platformName}TransactionId`]: transactionId,
        responseDTTM: formatHttpDate(now()),
        dbType: server.dbType,
        serverTimeZone: server.timeZone,
      }),
    )
    return response
  }
}
