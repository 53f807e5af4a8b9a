/** What each refusal says, for whoever looks after calls. Held against the codes of the API: a missing one does not compile. */
import type { RefusalCode } from './api/monitor.ts'

export const refusalWords: Readonly<Record<RefusalCode, string>> = {
  tokenRejected: 'The bearer token was not accepted',
  basicRejected: 'Name or password was not accepted',
  permissionDenied: 'The operator may not call the operation',
  operationNotFound: 'There is no such operation, version or method',
  pathUnknown: 'Nothing is published at this path',
  nodeUnknown: 'The node in the URL is not known',
  uriNotMatched: 'The URL matches no URI template',
  uriMalformed: 'The URL is malformed',
  uriValueInvalid: 'A value in the URL is not allowed',
  bodyMalformed: 'The request body is malformed',
  bodyTooLarge: 'The request body is too large',
  uriTooLong: 'The URL is too long',
  headersTooLarge: 'The headers are too large',
  contentUnsupported: 'The encoding or charset of the body cannot be read',
  tlsRequired: 'The operation is called over TLS only',
  rateLimited: 'Too many requests',
  overloaded: 'The gateway could not take the call',
  handlerFailed: 'The handler failed',
  handlerTimedOut: 'The handler took too long',
  unexpected: 'The gateway failed: a fault of its own',
}
