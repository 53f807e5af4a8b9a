/** Answers conditional and range requests from a response that allows it (specification 5.24, 5.25, 6.13). */
import type { Call, OperationResponse } from '../model/call.ts'
import { narrowResponse } from '../model/content/conditional.ts'

/** 304 if the client has it already, 206 for a part of it, else the response itself. */
export function answerConditionally(response: OperationResponse, call: Call): OperationResponse {
  const { isConditional, replay, isReplayable } = response
  return isConditional === true ? { ...narrowResponse(response, call), replay, isReplayable } : response
}
