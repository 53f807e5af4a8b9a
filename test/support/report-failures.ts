/** A reporter of `node --test`: the failed tests alone, each with its place and the beginning of its error. */
import type { TestEvent } from 'node:test/reporters'
import { stripVTControlCharacters } from 'node:util'

const [max, lines, width] = [6, 8, 180]

interface Failure extends Error {
  readonly failureType?: string
}

export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let failed = 0
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue
    const { cause, message, failureType }: Failure = data.details.error
    if (failureType === 'subtestsFailed') continue
    failed += 1
    if (failed > max) continue
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause ?? message)
    const error = stripVTControlCharacters(text)
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^ +at .*\bnode:/.test(line))
    const place = data.file === undefined ? '' : ` (${data.file.replace(`${process.cwd()}/`, '')}:${data.line})`
    yield `✖ ${data.name}${place}\n`
    for (const line of error.slice(0, lines)) yield `    ${line.slice(0, width)}\n`
  }
  if (failed > max) yield `… and ${failed - max} more, above\n`
}
