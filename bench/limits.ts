/**
 * What limits cost a call, in processor time: the steps of the pipeline and the headers of the response, without any limit
 * and with one by operator and one by operation. In one process, in turns: node bench/limits.ts
 */

import { compileLimits } from '../src/configuration/compile-limits.ts'
import { limit } from '../src/configuration/limit-schema.ts'
import { CallLimits } from '../src/features/limits/limits.ts'
import { admitOrShed, limitAddress, limitOperator, withSlot } from '../src/features/limits/step.ts'
import type { Operation } from '../src/model/operation.ts'
import type { Operator } from '../src/model/operator.ts'
import { OpenTransaction } from '../src/model/transaction.ts'
import { commonHeaderLines } from '../src/steps/build-reply.ts'

const rounds = 9
const calls = 200_000

const limits = new CallLimits({ observe() {} })
limits.onTouched = () => {}
const rate = { calls: 1_000_000_000, per: '1s' }
const compiled = compileLimits([
  limit.parse({ name: 'operator', by: ['operator'], ...rate }),
  limit.parse({ name: 'operation', by: ['operation'], ...rate }),
])
const gateway = { limits, memory: { reserved: 0, total: 1 }, settings: { limits: {}, platformName: 'x' } } as never
const call = { headers: {}, remoteAddress: '192.0.2.1' } as never
const operators = Array.from({ length: 50 }, (_, at) => ({ id: `OPERATOR${at}` }) as Operator)
const identity = { id: 'id', begun: 0, sessionId: 'session', isSecure: false, ecid: 'ecid', rid: '0' }
let bytes = 0

function answer(transaction: OpenTransaction, run: () => unknown): void {
  bytes += commonHeaderLines(transaction, gateway).length
  run()
}

function withSteps(operation: Operation, at: number): void {
  const transaction = new OpenTransaction(identity)
  const operator = operators[at % operators.length] as Operator
  const run = () => transaction
  admitOrShed(transaction, gateway)
  const byAddress = limitAddress(call, operation, transaction, gateway)
  transaction.endStep('limits', limitOperator(call, operation, operator, byAddress, transaction, gateway))
  answer(transaction, withSlot(run as never, call, call, operation, operator, gateway))
  limits.load.atWork -= 1 // as at its end
}

function withoutSteps(): void {
  const transaction = new OpenTransaction(identity)
  const run = () => transaction
  answer(transaction, run)
}

/** Microseconds a call. */
function measure(work: (at: number) => void): number {
  const begun = process.cpuUsage()
  for (let at = 0; at < calls; at += 1) work(at)
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / calls
}

const unlimited = { id: 'X' } as Operation
const limited = { id: 'X', limits: compiled.of('X', 'S') } as Operation
const found: { readonly none: number; readonly two: number }[] = []
for (let round = 0; round < rounds + 2; round += 1) {
  const bare = measure(withoutSteps)
  const none = measure((at) => withSteps(unlimited, at)) - bare
  const two = measure((at) => withSteps(limited, at)) - bare
  if (round >= 2) found.push({ none, two })
}
limits.load.close()
if (bytes === 0) throw new Error('no header was written')
for (const name of ['none', 'two'] as const) {
  const sorted = found.map((each) => each[name]).sort((one, other) => one - other)
  const [least, median, most] = [sorted[0], sorted[rounds >> 1], sorted.at(-1)].map((time = 0) => time.toFixed(3))
  console.log(`${name === 'none' ? 'no limit' : 'operator and operation'}: ${median} µs (${least} to ${most})`)
}
