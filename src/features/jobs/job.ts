/** The interface of a job: code that runs by a schedule, without a call (specification 24). The SDK exports all of it. */

import type { ServerDescription } from '../../model/handler.ts'
import type { Broker, TypedBroker } from '../../model/handler-broker.ts'
import type { HandlerDatabase } from '../../model/handler-database.ts'
import type { ProcessContext } from '../../model/process-context.ts'
import type { TypedGateway } from '../../model/typed-operation.ts'

/** The class that a job of the configuration names; a new instance serves each run. */
export type JobClass = new () => Job

/**
 * Runs by a schedule (specification 24.1), on one process of the cluster at a time. Everything that it writes to
 * `context.database` is committed when it ends, together with the note that it ran.
 *
 * | `run` | what was written | outcome |
 * |---|---|---|
 * | returns | committed | `succeeded` |
 * | throws, or a statement failed, or the commit fails | rolled back | `failed`; repeated up to `retries` times |
 * | exceeds its `timeLimit` | rolled back | `timedOut`; repeated as above |
 * | its process ends, stops or was paused for longer than its lease | rolled back | `lost` or `stopped`; repeated elsewhere |
 *
 * The time limit ends a job that waits; no limit can end one that computes without ever waiting.
 * @example
 * ```ts
 * import type { Job, JobContext } from 'integration-gateway'
 *
 * export default class ForgetGuests implements Job {
 *   async run({ database, log }: JobContext) {
 *     const { numDeletedRows } = await database
 *       .deleteFrom('VISITS')
 *       .where('OPRID', '=', 'GUEST')
 *       .executeTakeFirst()
 *     log.information(`${numDeletedRows} visits deleted`)
 *   }
 * }
 * ```
 */
export interface Job {
  /** Does the work once. */
  run(context: JobContext): void | Promise<void>
}

/**
 * The context of a run, with what `ProcessContext` has (specification 24.4). It has no operator, request or response.
 * `signal` is aborted at the time limit, when the lease of the job is lost, and when the gateway stops. Its types are
 * those of `HandlerContext`.
 */
// biome-ignore lint/suspicious/noExplicitAny: without stated tables every table and column is allowed
export interface JobContext<Tables = any, Gateway extends TypedGateway = TypedGateway> extends ProcessContext {
  /** The name of the job. */
  readonly name: string
  /** A GUID: log entries and the monitor have it as the transaction id. */
  readonly runId: string
  /** The time of the schedule that this run is for, in epoch milliseconds; of a requested run, when it was requested. */
  readonly due: number
  /** 1 for the first run for this time; higher when it is repeated. */
  readonly attempt: number
  /**
   * One transaction per run, as in a handler. It is committed only while this process still holds the lease of the job
   * (specification 24.7).
   */
  readonly database: HandlerDatabase<Tables>
  /** Builds URLs of operations, and removes cached responses: see `Broker`. */
  readonly broker: Pick<TypedGateway extends Gateway ? Broker : TypedBroker<Gateway>, 'getUrl' | 'deleteRestCache'>
  /** For calls that the job makes: see `HandlerContext`. */
  readonly traceHeaders: Readonly<Record<string, string>>
  /** The gateway and its database. */
  readonly server: ServerDescription
}
