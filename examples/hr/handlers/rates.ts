/** RATES: asks another HTTP service, keeps its answer ten minutes for each operator, and drops what an operator has. */
import { Answer, FetchError, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import { settings } from '../lib/badges.ts'

export class RatesGet implements Handler {
  async onRequest(request: RequestMessage, context: HandlerContext) {
    const { broker, fetch, operator, setting, now } = context
    const url = setting(settings.rates)
    if (url === undefined) return new Answer(503, { error: 'HR_RATES_URL is not set.' })
    try {
      const rates = await fetch(`${url}?for=${encodeURIComponent(operator.id)}`)
      if (!rates.ok) return new Answer(502, { error: `The rates answered ${rates.status}.` })
      const response = broker.createMessage(request.operationName, 'response')
      response.setJson(await rates.json())
      response.setRestCache(now() + 10 * 60_000)
      return response
    } catch (error) {
      if (error instanceof FetchError) return new Answer(503, { error: 'The rates are away.' }, { 'retry-after': '5' })
      throw error
    }
  }
}

export class RatesDelete implements Handler {
  async onRequest(_request: RequestMessage, context: HandlerContext<unknown, typeof gateway>) {
    await context.broker.deleteRestCache('RATES_GET', 'v1', { operator: context.operator.id })
    return new Answer(204)
  }
}
