/** Writes a file atomically: a reader sees the old file or the new one. */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { Failure } from './explain-failure.ts'
import { show } from './print.ts'

/** @param mode of a new file; operators' records are for their owner only */
export function writeWhole(file: string, text: string, mayReplace: boolean, mode = 0o666): void {
  if (existsSync(file) && !mayReplace) throw new Failure(`${show(file)} exists. Replace it with --force.`)
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text, { mode })
    renameSync(temporary, file)
  } catch (error) {
    throw new Failure(`${show(file)} cannot be written: ${(error as Error).message}`)
  }
}
