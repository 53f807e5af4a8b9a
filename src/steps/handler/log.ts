/** The log of a handler, a job or a resource. */
import type { LogLevel, Observe } from '../../model/observation.ts'
import type { HandlerLog } from '../../model/process-context.ts'
import type { Transaction } from '../../model/transaction.ts'

/** @param transaction undefined outside calls */
export function openLog(transaction: Transaction | undefined, observe: Observe): HandlerLog {
  const write = (level: LogLevel) => (message: string, detail?: Readonly<Record<string, unknown>>) =>
    observe({ kind: 'note', level, message, ...(transaction && { transaction }), ...(detail && { detail }) })
  return { error: write('error'), warning: write('warning'), information: write('information'), debug: write('debug') }
}
