/**
 * Reads a new password: from a prompt that hides it, or from standard input; never from an argument (specification 8.7,
 * 3.23).
 */
import { emitKeypressEvents, type Key } from 'node:readline'
import { findPasswordProblem } from '../model/password-policy.ts'
import { Failure, Interruption } from './explain-failure.ts'
import { terminal } from './terminal.ts'

export async function readNewPassword(id: string, fromStdin: boolean): Promise<string> {
  if (fromStdin) return requireUsable((await readStdin('password')).replace(/\r?\n$/, ''), id)
  if (!terminal().stdin.isTTY)
    throw new Failure('no terminal to ask for the password. Pipe it in with --password-stdin.')
  const password = requireUsable(await ask(`Password for ${id}: `), id)
  if (password === (await ask('The same again: '))) return password
  throw new Failure('the two passwords differ; nothing was changed.')
}

/** An existing operator's password, for authentication: from a prompt that hides it. */
export async function readKnownPassword(id: string): Promise<string | undefined> {
  return terminal().stdin.isTTY ? ask(`Password for ${id}: `) : undefined
}

function requireUsable(password: string, id: string): string {
  const problem = findPasswordProblem(password, id)
  if (problem === undefined) return password
  throw new Failure(`the password ${problem}; nothing was changed. --generate-password makes one.`)
}

/** @param what it is, for the error */
export async function readStdin(what: string): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of terminal().stdin) chunks.push(chunk)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new Failure(`the ${what} is not UTF-8.`)
  }
}

/** The prompt goes to standard error, because a script may read standard output. Arrows and other keys are ignored. */
function ask(prompt: string): Promise<string> {
  const { stdin, stderr } = terminal()
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let typed = ''
  const onKey = (character: string | undefined, { name, ctrl }: Key) => {
    if (name === 'return' || name === 'enter') end(() => resolve(typed))
    else if (ctrl && name === 'c') end(() => reject(new Interruption()))
    else if (ctrl && name === 'd') end(() => reject(new Failure('nothing was changed.')))
    else if (ctrl && name === 'u') typed = ''
    else if (name === 'backspace') typed = [...typed].slice(0, -1).join('')
    else if (character !== undefined && character >= ' ') typed += character
  }
  const end = (settle: () => void) => {
    stdin.off('keypress', onKey).setRawMode(false).pause()
    stderr.write('\n')
    settle()
  }
  stderr.write(prompt)
  emitKeypressEvents(stdin)
  stdin.setRawMode(true).resume().on('keypress', onKey)
  return promise
}
