/** All rows of LINE, so many times; and a photo of 5 MB. */
import type { Handler, HandlerContext, RequestMessage } from 'integration-gateway'

interface Tables {
  LINE: { ID: number; TEXT: string }
  TIMES: { TIME: number }
}

export class Lines implements Handler {
  onRequest(request: RequestMessage, context: HandlerContext<Tables>) {
    const { times } = request.getUriDocument()
    const response = context.broker.createMessage(request.operationName, 'response')
    response.setContentStream(writeLines(context, Number(times)))
    return response
  }
}

async function* writeLines({ snapshot }: HandlerContext<Tables>, times: number) {
  const rows = snapshot
    .selectFrom('TIMES')
    .innerJoin('LINE', (join) => join.onTrue())
    .select(['ID', 'TEXT'])
    .where('TIME', '<', times)
  for await (const { ID, TEXT } of rows.stream()) yield `${ID},${TEXT}\n`
}

const photo = Buffer.alloc(5_000_000, 'photo')

export class Photo implements Handler {
  onRequest(request: RequestMessage, { broker }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentBytes(photo)
    return response
  }
}
