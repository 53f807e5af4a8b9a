/** The field `fixture` of an operation: recorded responses; the first row that matches answers (specification 16). */
import { z } from 'zod'
import { bodyPathRule, isBodyPath } from '../../configuration/fields.ts'
import { contentType, defaultContentType, strictObject } from '../../configuration/schema.ts'
import type { MessageDefinition } from '../../model/content/message-definition.ts'
import { findHeaderProblem } from '../../model/content/response-headers.ts'

/** The form in which the configuration is written: the name of one file, or a list of rows. */
type FixtureDefinition = string | readonly z.input<typeof fixtureFields>[]
/** The form in which it is used, with all defaults. */
export type FixtureRow = z.output<typeof fixtureFields>

/** Milliseconds; a delay beyond the time limit of handlers always ends in `handlerTimedOut`. */
const maxDelay = 24 * 60 * 60 * 1000

const file = z.string().superRefine((name, context) => {
  const problem = findNameProblem(name)
  if (problem !== undefined) context.addIssue(problem)
})
const status = 'must be 200 to 599: the status of a final response'

const fixtureFields = strictObject({
  template: z
    .string()
    .optional()
    .describe("One of the operation's URI templates, as written in the operation. Default: any"),
  parameters: z
    .record(z.string(), z.string())
    .readonly()
    .optional()
    .describe('The decoded texts of template variables, by name. An omitted variable matches any text'),
  body: z
    .record(z.string().refine(isBodyPath, bodyPathRule), z.string())
    .readonly()
    .optional()
    .describe('Values of the request body by path: a JSON pointer, or an absolute path in XML'),
  after: z
    .string()
    .optional()
    .describe(
      'An operation with recorded responses, such as `HIRE_POST.v1`: the row answers while that operation has the latest successful call of all that rows name',
    ),
  file: file.optional().describe('The body, a file below `fixtures/`. Default: an empty body'),
  status: z.int().min(200, status).max(599, status).optional().describe('Default: `httpCode` of the response message'),
  delay: z
    .int()
    .min(0, 'must be 0 or more')
    .max(maxDelay, `must be at most ${maxDelay}, a day`)
    .default(0)
    .describe('Milliseconds to wait before the answer'),
  contentType: contentType
    .optional()
    .describe("Default: that of the response message; if that is the default too, the one for the file's extension"),
  headers: z
    .record(z.string(), z.string())
    .superRefine(checkHeaders)
    .readonly()
    .optional()
    .describe('Response headers that a handler may set'),
})

const fixture = z
  .custom<FixtureDefinition>((value) => typeof value === 'string' || Array.isArray(value), {
    error: 'must be the name of a file below fixtures/, or a list of rows',
    abort: true,
  })
  .superRefine((value, context) => {
    const problem = typeof value === 'string' ? findNameProblem(value) : undefined
    if (problem !== undefined) context.addIssue(problem)
  })
  .transform((value) => (typeof value === 'string' ? [{ file: value }] : value))
  .pipe(z.array(fixtureFields).min(1, 'must have at least one row').readonly())

export const handlerFields = {
  fixture: fixture
    .optional()
    .describe(
      'Recorded responses instead of a handler: a file below `fixtures/`, or rows of which the first match answers',
    ),
}

/** Checked without reading files. */
export function findNameProblem(name: string): string | undefined {
  if (name === '') return 'must name a file below fixtures/'
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(name)) return 'must be a path within the folder fixtures, not an absolute one'
  if (name.split(/[/\\]/).includes('..')) return "must stay in the folder fixtures: '..' leads out of it"
  if (name.includes('\\')) return 'must have forward slashes'
  return /\p{C}/u.test(name) ? 'must have no control characters' : undefined
}

function checkHeaders(headers: Readonly<Record<string, string>>, context: z.RefinementCtx): void {
  for (const [name, value] of Object.entries(headers)) {
    const problem = findHeaderProblem(name, value)
    if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: `cannot be set: ${problem}` })
  }
}

/** A row's response, besides its body. */
export function answerOf(row: FixtureRow, response: MessageDefinition): MessageDefinition {
  const byFile = response.contentType === defaultContentType ? typeOfFile(row.file) : undefined
  const stated = row.contentType ?? byFile ?? response.contentType
  return { kind: response.kind, contentType: stated, httpCode: row.status ?? response.httpCode }
}

function typeOfFile(name: string | undefined): string | undefined {
  const [, extension = ''] = /\.([^./]+)$/.exec(name ?? '') ?? []
  return types.get(extension.toLowerCase())
}

/** JSON and XML with the content types of operations (specification 5.13). */
const types: ReadonlyMap<string, string> = new Map([
  ['bin', 'application/octet-stream'],
  ['csv', 'text/csv; charset=UTF-8'],
  ['gif', 'image/gif'],
  ['htm', 'text/html; charset=UTF-8'],
  ['html', 'text/html; charset=UTF-8'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['json', 'application/json; encoding=UTF-8'],
  ['pdf', 'application/pdf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain; charset=UTF-8'],
  ['xml', defaultContentType],
  ['zip', 'application/zip'],
])
