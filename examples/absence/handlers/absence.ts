/** The root resource "request" of the Application Service "absence". */
import { Answer, type Generated, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import { z } from 'zod'
import type gateway from '../gateway.config.ts'

interface Tables {
  ABSENCE: { REQUEST_ID: Generated<number>; EMPLID: string; BEGIN_DT: string; END_DT: string }
}

const columns = ['REQUEST_ID as requestid', 'EMPLID as emplid', 'BEGIN_DT as begindate', 'END_DT as enddate'] as const

export class AbsenceGet implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'ABSENCE_GET'>, { database }: HandlerContext<Tables>) {
    const { emplid, requestid } = request.getUriDocument()
    const absences = database.selectFrom('ABSENCE').select(columns).orderBy('REQUEST_ID')
    if (request.uriResourceIndex === 1)
      return new Answer(200, { items: await absences.where('EMPLID', '=', emplid ?? '').execute() })
    const absence = await absences.where('REQUEST_ID', '=', requestid ?? 0).executeTakeFirst()
    return absence ? new Answer(200, absence) : new Answer(404, { error: `There is no request ${requestid}.` })
  }
}

const wanted = z
  .strictObject({ emplid: z.string().regex(/^\d{6}$/), begindate: z.iso.date(), enddate: z.iso.date() })
  .refine(({ begindate, enddate }) => begindate <= enddate, {
    path: ['enddate'],
    error: 'must not be before begindate',
  })

export class AbsencePost implements Handler {
  static requestSchema = wanted

  async onRequest(request: RequestMessage, { database, broker }: HandlerContext<Tables>) {
    const { emplid, begindate, enddate } = await request.getJson(wanted)
    const { REQUEST_ID: requestid } = await database
      .insertInto('ABSENCE')
      .values({ EMPLID: emplid, BEGIN_DT: begindate, END_DT: enddate })
      .returning('REQUEST_ID')
      .executeTakeFirstOrThrow()
    const location = broker.getUrl('ABSENCE_GET', 'none', 2, { requestid })
    return new Answer(201, { requestid }, { location })
  }
}
