/** Writes a file atomically: a reader sees the old file or the new one. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Failure } from './explain-failure.ts'
import { onInterrupt } from './on-interrupt.ts'
import { show } from './print.ts'

export function writeWhole(file: string, text: string, mayReplace: boolean, mode?: number): void {
  const whole = openWhole(file, mayReplace, mode)
  try {
    whole.write(text)
    whole.finish()
  } finally {
    whole.close()
  }
}

export interface WholeFile {
  /** Appends. */
  write(text: string): void
  /** All is written: the file gets its name. */
  finish(): void
  /** Nothing stays of a file that is not finished, after Ctrl-C either. */
  close(): void
}

/**
 * Fails if the file cannot be written, before there is a text that would be lost.
 * @param mode of a new file; operators' records are for their owner only
 */
export function openWhole(file: string, mayReplace: boolean, mode = 0o666): WholeFile {
  const found = statSync(file, { throwIfNoEntry: false })
  if (file === '' || (found && !found.isFile()))
    throw new Failure(`${show(JSON.stringify(file))} is not the name of a file.`)
  if (found && !mayReplace) throw new Failure(`${show(file)} exists. Replace it with --force.`)
  const temporary = `${file}.${process.pid}.tmp`
  const trying = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw new Failure(`${show(file)} cannot be written: ${(error as Error).message}`)
    }
  }
  const descriptor = trying(() => openSync(temporary, 'wx', mode)) // never a link or a file of another user
  const remove = () => rmSync(temporary, { force: true })
  const ignoreInterrupt = onInterrupt(remove)
  return {
    write: (text) => trying(() => writeFileSync(descriptor, text)),
    finish: () =>
      trying(() => {
        fsyncSync(descriptor)
        renameSync(temporary, file)
      }),
    close() {
      ignoreInterrupt()
      closeSync(descriptor)
      remove()
    },
  }
}
