/** PHOTO: bytes in and out. The digest is the entity tag, so a client that has the photo receives 304, and ranges work. */
import { createHash } from 'node:crypto'
import { Answer, answerConditional, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import type gateway from '../gateway.config.ts'
import type { Tables } from '../tables.ts'

export class PhotoGet implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'PHOTO_GET'>, { broker, database }: HandlerContext<Tables>) {
    const { emplid } = request.getUriDocument()
    const photos = database.selectFrom('EMPLOYEE_PHOTO').where('EMPLID', '=', emplid)
    const found = await photos.select(['CONTENT_TYPE', 'DIGEST']).executeTakeFirst()
    if (!found) throw new Answer(404, { error: `There is no photo of ${emplid}.` })
    const response = broker.createMessage(request.operationName, 'response')
    response.contentType = found.CONTENT_TYPE
    if (answerConditional(request, response, { etag: found.DIGEST })) return response
    const { PHOTO } = await photos.select('PHOTO').executeTakeFirstOrThrow()
    response.setContentBytes(PHOTO)
    return response
  }
}

export class PhotoPut implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'PHOTO_PUT'>, { database }: HandlerContext<Tables>) {
    const { emplid } = request.getUriDocument()
    const type = request.getHeader('content-type') ?? ''
    if (!/^image\/(?:jpeg|png|webp)$/.test(type)) throw new Answer(415, { error: 'A photo is JPEG, PNG or WebP.' })
    const bytes = await request.getContentBytes()
    const photo = { CONTENT_TYPE: type, PHOTO: bytes, DIGEST: createHash('sha256').update(bytes).digest('hex') }
    const employee = await database
      .selectFrom('EMPLOYEE')
      .select('EMPLID')
      .where('EMPLID', '=', emplid)
      .executeTakeFirst()
    if (!employee) throw new Answer(404, { error: `There is no employee ${emplid}.` })
    await database
      .insertInto('EMPLOYEE_PHOTO')
      .values({ EMPLID: emplid, ...photo })
      .onConflict((conflict) => conflict.column('EMPLID').doUpdateSet(photo))
      .execute()
    return new Answer(204)
  }
}
