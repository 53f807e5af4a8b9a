/** Questions of one turn of the event loop, asked together: one way to a database or a thread and back instead of one for each. */

interface Asked<Question, Answer> {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** @param ask returns the answers in the order of the questions */
export function askTogether<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<readonly Answer[]>,
): (question: Question) => Promise<Answer> {
  let gathered: Asked<Question, Answer>[] = []
  const askAll = () => {
    const asked = gathered
    gathered = []
    ask(asked.map(({ question }) => question)).then(
      (answers) => {
        for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer)
      },
      (error) => {
        for (const { reject } of asked) reject(error)
      },
    )
  }
  return (question) =>
    new Promise((resolve, reject) => {
      if (gathered.push({ question, resolve, reject }) === 1) setImmediate(askAll)
    })
}
