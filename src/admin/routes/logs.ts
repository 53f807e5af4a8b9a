/** The end of the logs (specification 18.27, 18.28). */
import { z } from 'zod'
import { AdminProblem } from '../../actions/problem-details.ts'
import { hasRole } from '../../actions/roles.ts'
import { name, paging, time } from '../../actions/schemas.ts'
import { hideClaimed } from '../../model/claimed-name.ts'
import { type ReadLogEntry, readLog } from '../read-log.ts'
import { route } from '../route.ts'

const logEntry = name(
  'LogEntry',
  z.object({
    time,
    level: z.enum(['exception', 'error', 'warning', 'information', 'debug']),
    text: z.string(),
    operation: z.string().nullable(),
    operator: z.string().nullable(),
    transactionId: z.string().nullable(),
    details: z
      .array(z.object({ title: z.string(), text: z.string() }))
      .describe('Stacks; for the roles operator and administrator also redacted headers and bodies'),
  }),
)

export const logRoutes = [
  route({
    operationId: 'readLog',
    tag: 'Logs',
    summary: 'List the last entries of a log, newest first',
    description: 'Reads the last 4 MiB of the current file. Secrets are redacted in the file.',
    method: 'GET',
    path: '/api/logs/:log',
    access: 'viewer',
    params: z.object({ log: z.enum(['msgLog', 'errorLog', 'message', 'error']).describe('By file name or kind') }),
    query: z.object({
      level: z.enum(['exception', 'error', 'warning', 'information', 'debug']).optional().describe('Minimum level'),
      transaction: z.string().max(100).optional(),
      search: z.string().max(200).optional().describe('Part of text or details, case-insensitive'),
      from: time.optional(),
      to: time.optional().describe('Exclusive'),
      limit: paging.shape.limit,
    }),
    answer: z.object({ items: z.array(logEntry) }),
    problems: ['logFilesOff'],
    async handle({ parts, params, query, caller }) {
      const { hasFiles, messageLogFile, errorLogFile } = parts.settings.log
      if (!hasFiles) throw new AdminProblem('logFilesOff', 'Set ig.log.files=true and restart the gateway.')
      const file = /^m/.test(params.log) ? messageLogFile : errorLogFile
      const items = await readLog(file, query, hasRole(caller.role, 'operator') ? undefined : showToViewers)
      return { body: { items } }
    },
  }),
]

function showToViewers({ details, text, ...entry }: ReadLogEntry): ReadLogEntry {
  const shown = details.filter(isNoMessage).map((each) => ({ ...each, text: hideClaimed(each.text) }))
  return { ...entry, text: hideClaimed(text), details: shown }
}

/** Messages may contain personal data (specification 18.28). */
function isNoMessage({ title }: { readonly title: string }): boolean {
  return title !== 'Request' && title !== 'Response'
}
