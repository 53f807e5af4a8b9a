/** Asks questions that are answered with yes or no, where a person is at the terminal. */
import { createInterface } from 'node:readline/promises'
import { Interruption } from './explain-failure.ts'
import { toTerminal } from './print.ts'
import { terminal } from './terminal.ts'

export function isTerminal(): boolean {
  return terminal().stdin.isTTY === true
}

/**
 * Enter, or the end of the input, is no. Questions go to standard error, because a script may read standard output.
 * @returns for each, whether the answer is yes @throws Interruption on Ctrl-C
 */
export async function confirm(questions: readonly string[]): Promise<readonly boolean[]> {
  const { stdin, stderr } = terminal()
  const lines = createInterface({ input: stdin })
  const input = lines[Symbol.asyncIterator]()
  const { promise: interrupted, reject } = Promise.withResolvers<never>()
  const interrupt = () => {
    stderr.write('\n')
    reject(new Interruption())
  }
  process.once('SIGINT', interrupt)
  try {
    const answers: boolean[] = []
    for (const question of questions) {
      stderr.write(toTerminal(`${question} [y/N] `))
      const { value = '' } = await Promise.race([input.next(), interrupted])
      answers.push(/^\s*y(?:es)?\s*$/i.test(value))
    }
    return answers
  } finally {
    process.off('SIGINT', interrupt)
    lines.close()
  }
}
