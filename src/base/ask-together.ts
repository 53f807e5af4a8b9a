/**
 * Questions asked together: one way to a database or a thread and back instead of one for each. Those of one turn of the event
 * loop share a way; while it is under way, and in a crowd for a moment after it, the next ones gather.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { setImmediate } from './timers.ts'

interface PendingQuestion<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** @param ask returns the answers in the order of the questions @param max milliseconds that the moment may last: one for each question before it */
export function askTogether<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  max: number,
): (question: Question) => Promise<Answer> {
  let gathered: PendingQuestion<Question, Answer>[] = []
  let isAsking = false
  const askGathered = async () => {
    const asked = gathered
    gathered = []
    try {
      const answers = await ask(asked.map(({ question }) => question))
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
    if (asked.length > 1) await sleep(Math.min(asked.length, max)) // a lone caller never waits
  }
  const askAll = async () => {
    while (gathered.length > 0) await askGathered()
    isAsking = false
  }
  return (question) =>
    new Promise((resolve, reject) => {
      gathered.push({ question, resolve, reject })
      if (isAsking) return
      isAsking = true
      setImmediate(() => void askAll())
    })
}
