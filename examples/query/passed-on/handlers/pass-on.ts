/** PassOn: asks the original, as its service user, and keeps a successful response for a minute. */
import {
  Answer,
  defineSettings,
  FetchError,
  type Handler,
  type HandlerContext,
  type RequestMessage,
} from 'integration-gateway'
import type gateway from '../gateway.config.ts'

export const settings = defineSettings({
  /** Up to the operation: https://hr.example/PSIGW/RESTListeningConnector/PSFT_HR/ExecuteQuery.v1 */
  original: { variable: 'QUERY_ORIGINAL', isSecret: false },
  user: { variable: 'QUERY_USER', isSecret: false },
  password: { variable: 'QUERY_PASSWORD' },
})

export class PassOn implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'QAS_EXECUTEQRY_GET'>, context: HandlerContext) {
    const { ownertype, queryname, format, filetype } = request.getUriDocument()
    const pairs = [...request.getQuery()].flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value]),
    )
    const query = new URLSearchParams(pairs).toString().replaceAll('%2C', ',') // some originals want raw commas
    const url = `${context.setting(settings.original)}/${ownertype}/${queryname}/${format}/${filetype}?${query}`
    const user = `${context.setting(settings.user)}:${context.setting(settings.password)}`
    const authorization = `Basic ${Buffer.from(user).toString('base64')}`
    try {
      const original = await context.fetch(url, { headers: { authorization } })
      const { status } = original
      const type = original.headers.get('content-type') ?? 'text/xml'
      const text = await original.text()
      if (status !== 200) return new Answer([400, 404].includes(status) ? status : 502, text, { 'content-type': type })
      const response = context.broker.createMessage(request.operationName, 'response')
      response.contentType = type
      response.setContentString(text)
      response.setRestCache(context.now() + 60_000)
      return response
    } catch (error) {
      if (error instanceof FetchError)
        return new Answer(503, { error: 'The original is away.' }, { 'retry-after': '5' })
      throw error
    }
  }
}
