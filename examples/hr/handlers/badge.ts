/** BADGE: looks an employee's badge up in another system's database. */
import { Answer, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import { findBadge, settings } from '../lib/badges.ts'

export class BadgeGet implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'BADGE_GET'>, context: HandlerContext) {
    if (!context.setting(settings.badges)) return new Answer(503, { error: 'HR_BADGES_DATABASE is not set.' })
    const { emplid } = request.getUriDocument()
    const badge = await findBadge(context, emplid)
    if (badge === undefined) return new Answer(404, { error: `Employee ${emplid} has no badge.` })
    return new Answer(200, { emplid, badge })
  }
}
