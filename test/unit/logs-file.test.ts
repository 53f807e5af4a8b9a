/** Log files: appended to, rotated, and never in the way of a call (specification 8.6). */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type LogFileOptions, openLogFile } from '../../src/observe/log-file.ts'
import { poll } from '../support/poll.ts'

const root = mkdtempSync(join(tmpdir(), 'ig-log-file-'))
after(() => rmSync(root, { recursive: true }))
let count = 0

function options(more: Partial<LogFileOptions> = {}): LogFileOptions & { readonly folder: string } {
  const folder = join(root, String(++count))
  return {
    folder,
    path: join(folder, 'logs/msgLog.html'),
    maxSize: 1000,
    maxBackupFiles: 2,
    head: '<head>\n',
    onTrouble: (message) => assert.fail(message),
    writeDropped: (dropped) => `${dropped} dropped\n`,
    ...more,
  }
}

const read = (path: string) => readFileSync(path, 'utf8')

test('8.6 a log file begins with its head, and is appended to by the next start', async () => {
  const file = options()
  for (const entry of ['one\n', 'two\n']) {
    const log = openLogFile(file)
    log.write(entry)
    await log.close()
  }
  assert.equal(read(file.path), '<head>\none\ntwo\n')
  assert.equal(statSync(file.path).mode & 0o007, 0)
})

test('8.6 a log file that reaches its maxSize is rotated, and maxNbBackupFiles older ones are kept', async () => {
  const file = options({ maxSize: 100 })
  const log = openLogFile(file)
  for (let entry = 1; entry <= 9; entry++) log.write(`${entry}`.repeat(39).concat('\n'))
  await log.close()
  const names = readdirSync(join(file.folder, 'logs')).sort()
  assert.deepEqual(names, ['msgLog.1.html', 'msgLog.2.html', 'msgLog.html'])
  const entries = names.map((name) => read(join(file.folder, 'logs', name)).replace(/(\d)\1{38}/g, '$1'))
  assert.deepEqual(entries, ['<head>\n7\n8\n', '<head>\n5\n6\n', '<head>\n9\n'])
})

test('8.6 without backup files a full log file starts again empty', async () => {
  const file = options({ maxSize: 50, maxBackupFiles: 0 })
  const log = openLogFile(file)
  for (const entry of ['a', 'b']) log.write(`${entry.repeat(39)}\n`)
  await log.close()
  assert.deepEqual(readdirSync(join(file.folder, 'logs')), ['msgLog.html'])
  assert.equal(read(file.path), `<head>\n${'b'.repeat(39)}\n`)
})

test('8.6 an entry longer than maxSize gets a file of its own', async () => {
  const file = options({ maxSize: 50 })
  const log = openLogFile(file)
  for (const entry of ['a\n', `${'b'.repeat(200)}\n`, 'c\n']) log.write(entry)
  await log.close()
  assert.equal(read(join(file.folder, 'logs/msgLog.2.html')), '<head>\na\n')
  assert.equal(read(join(file.folder, 'logs/msgLog.1.html')), `<head>\n${'b'.repeat(200)}\n`)
  assert.equal(read(file.path), '<head>\nc\n')
})

test('8.6 two processes may write one log, and it may be moved away', async () => {
  const file = options()
  const [first, second] = [openLogFile(file), openLogFile(file)]
  first.write('1\n')
  await first.close()
  second.write('2\n')
  await second.close()
  renameSync(file.path, `${file.path}.old`)
  for (const log of [first, second]) {
    log.write('after\n')
    await log.close()
  }
  assert.equal(read(file.path), '<head>\nafter\nafter\n')
})

test('8.6, 17.6 processes that write one log at the same time exceed maxSize by a sixteenth each, or by one entry', async () => {
  const maxSize = 16_000
  const file = options({ maxSize, maxBackupFiles: 1000 })
  const logs = Array.from({ length: 8 }, () => openLogFile(file))
  const entry = `${'x'.repeat(99)}\n`
  for (const count of [1, 100, 100]) {
    for (const log of logs) for (let index = 0; index < count; index++) log.write(entry)
    await Promise.all(logs.map((log) => log.close()))
  }
  const names = readdirSync(join(file.folder, 'logs'))
  const sizes = names.map((name) => statSync(join(file.folder, 'logs', name)).size)
  assert.ok(Math.max(...sizes) <= maxSize + 7 * (maxSize / 16), String(sizes))
  const heads = names.length * '<head>\n'.length
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    heads + 8 * 201 * entry.length,
  )
})

test('8.6 a log that cannot be written is reported once, stops nothing, and is written again as soon as possible', async () => {
  const troubles: string[] = []
  const file = options({ onTrouble: (message) => troubles.push(message) })
  mkdirSync(file.path, { recursive: true }) // a folder stands in its place
  const log = openLogFile(file)
  for (const entry of ['lost\n', 'lost\n']) {
    log.write(entry)
    await log.close()
  }
  assert.equal(troubles.length, 1)
  assert.match(troubles[0] ?? '', /msgLog\.html cannot be written; log entries are lost: EISDIR/)
  assert.equal(log.trouble, troubles[0])
  rmSync(file.path, { recursive: true })
  log.write('kept\n')
  await log.close()
  assert.equal(log.trouble, undefined)
  assert.equal(read(file.path), '<head>\nkept\n2 dropped\n')
})

test('8.6, 20.11 a log recovers when its disk has space again, without another entry, and has the number of lost ones', async () => {
  const troubles: string[] = []
  const file = options({ onTrouble: (message) => troubles.push(message) })
  mkdirSync(join(file.folder, 'logs'), { recursive: true })
  symlinkSync('/dev/full', file.path)
  const log = openLogFile(file)
  for (const entry of ['lost\n', 'lost\n', 'lost\n']) log.write(entry)
  await poll(() => log.dropped === 3)
  rmSync(file.path)
  await poll(() => log.trouble === undefined)
  assert.equal(read(file.path), '<head>\n3 dropped\n')
  assert.equal(troubles.length, 1)
  assert.match(troubles[0] ?? '', /msgLog\.html cannot be written; log entries are lost: ENOSPC/)
  await log.close()
})

test('8.6 entries that arrive faster than the disk accepts them are dropped and counted, not kept in memory', async () => {
  const file = options({ maxSize: 1e9 })
  const log = openLogFile(file)
  const entry = `${'x'.repeat(1024 ** 2 - 1)}\n`
  for (let index = 0; index < 20; index++) log.write(entry)
  await log.close()
  const text = read(file.path)
  assert.match(text, /\n\d+ dropped\n$/)
  const dropped = Number(/(\d+) dropped/.exec(text)?.[1])
  assert.equal(text.length, '<head>\n'.length + (20 - dropped) * entry.length + `${dropped} dropped\n`.length)
})
