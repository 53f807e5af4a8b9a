/** The file of an action that streams, to standard output or to `--out`, while it is read (specification 31.1). */
import { once } from 'node:events'
import { showLines } from '../base/escape.ts'
import { print, show } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { openOutput } from './print-answer.ts'

interface Options {
  readonly out?: string
  readonly force?: boolean
}

export async function writeStream(pieces: AsyncIterable<string>, options: Options): Promise<void> {
  const output = openOutput({}, options)
  const { stdout } = terminal()
  try {
    for await (const piece of pieces) {
      const text = output || !stdout.isTTY ? piece : showLines(piece, Number.POSITIVE_INFINITY)
      if (output) output.write(text)
      else if (!stdout.write(text)) await once(stdout, 'drain')
    }
    output?.finish()
    if (output) print(`See ${show(options.out ?? '')}.`)
  } finally {
    output?.close()
  }
}
