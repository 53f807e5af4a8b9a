/** Refuses calls that would wait too long for the processor (specification 25.13): the newest. */
import type { OpenTransaction } from '../model/transaction.ts'
import type { Limits } from './limits/limits.ts'

interface Parts {
  readonly limits: Pick<Limits, 'load'>
}

/** Counts the call as at work until its end. @throws Refusal overloaded */
export function shedLoad(transaction: Pick<OpenTransaction, 'releases'>, { limits: { load } }: Parts): void {
  load.atWork += 1
  transaction.releases.push(() => {
    load.atWork -= 1
  })
  load.requireTime()
}
