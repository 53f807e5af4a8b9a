/** Writes a file atomically: a reader sees the old file or the new one. */
import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Failure } from './explain-failure.ts'
import { show } from './print.ts'

export function writeWhole(file: string, text: string, mayReplace: boolean, mode?: number): void {
  const whole = openWhole(file, mayReplace, mode)
  try {
    whole.write(text)
  } finally {
    whole.close()
  }
}

export interface WholeFile {
  write(text: string): void
  /** Nothing stays, unless it is written. */
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
  const trying = (work: () => void) => {
    try {
      work()
    } catch (error) {
      throw new Failure(`${show(file)} cannot be written: ${(error as Error).message}`)
    }
  }
  trying(() => writeFileSync(temporary, '', { mode, flag: 'wx' })) // never into a link or a file of another user
  return {
    write: (text) =>
      trying(() => {
        writeFileSync(temporary, text)
        renameSync(temporary, file)
      }),
    close: () => rmSync(temporary, { force: true }),
  }
}
