/** The response message of an Answer (specification 5.23). */
import type { Answer } from '../../model/content/answer.ts'
import { FilledResponse } from '../../model/content/response-message.ts'
import type { Operation } from '../../model/operation.ts'

/** @throws TypeError for a header that a handler cannot set */
export function fillAnswer(answer: Answer, operation: Operation, transactionId: string, platformName: string) {
  const response = new FilledResponse(operation, transactionId, platformName)
  response.contentType = answer.contentType
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values].flat()) {
      if (name.toLowerCase() === 'content-type') response.contentType = value
      else response.setHeader(name, value)
    }
  }
  if (typeof answer.content === 'string') response.setContentString(answer.content)
  else if (answer.content) response.setContentBytes(answer.content)
  return response
}
