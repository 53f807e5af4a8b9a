/** Asks questions that are answered with yes or no, where a person is at the terminal. */
import { createInterface } from 'node:readline/promises'
import { toTerminal } from './print.ts'
import { terminal } from './terminal.ts'

export function isTerminal(): boolean {
  return terminal().stdin.isTTY === true
}

/**
 * Enter, or the end of the input, is no. Questions go to standard error, because a script may read standard output.
 * @returns for each, whether the answer is yes
 */
export async function confirm(questions: readonly string[]): Promise<readonly boolean[]> {
  const { stdin, stderr } = terminal()
  const lines = createInterface({ input: stdin })
  const input = lines[Symbol.asyncIterator]()
  const answers: boolean[] = []
  for (const question of questions) {
    stderr.write(toTerminal(`${question} [y/N] `))
    const { value = '' } = await input.next()
    answers.push(/^\s*y(?:es)?\s*$/i.test(value))
  }
  lines.close()
  return answers
}
