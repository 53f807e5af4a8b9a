/** The body spool: memory, then a file without a name (specification 5.10). */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSpool } from '../src/http/spool.ts'

let folder = ''
const outside = process.env.TMPDIR
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'spool-test-'))
  process.env.TMPDIR = folder
})
after(() => {
  if (outside === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = outside
  rmSync(folder, { recursive: true })
})

const chunks = [Buffer.from('one '), Buffer.from('two '), Buffer.from('three')]
const whole = Buffer.concat(chunks)
const sizes = [
  { title: '5.10 a body up to the limit stays in memory', memoryBytes: whole.length, isInMemory: true },
  { title: '5.10 a body over the limit goes to disk', memoryBytes: whole.length - 1, isInMemory: false },
  { title: '5.10 a body goes to disk from its first byte where nothing may stay', memoryBytes: 0, isInMemory: false },
]
for (const { title, memoryBytes, isInMemory } of sizes) {
  test(title, async () => {
    const spool = openSpool({ memoryBytes })
    const waits = []
    for (const chunk of chunks) {
      const written = spool.write(chunk)
      waits.push(written)
      await written
      assert.deepEqual(readdirSync(folder), [], 'a spooled body has no name')
    }
    assert.equal(
      waits.every((wait) => wait === undefined),
      isInMemory,
    )
    assert.equal(spool.body.size, whole.length)
    assert.deepEqual(await spool.body.bytes(), whole)
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(Buffer.concat(await spool.body.stream().toArray()), whole)
    }
    const both = [spool.body.stream().toArray(), spool.body.stream().toArray()]
    for (const read of await Promise.all(both)) assert.deepEqual(Buffer.concat(read), whole)
    await spool.body.close()
    await spool.body.close()
    assert.deepEqual(readdirSync(folder), [])
  })
}

test('5.10 an empty body can be read like any other', async () => {
  const { body } = openSpool({ memoryBytes: 10 })
  assert.deepEqual([body.size, (await body.bytes()).length, (await body.stream().toArray()).length], [0, 0, 0])
  await body.close()
})

test('5.10 a spool that is closed while it is written leaves no descriptor', async () => {
  const before = readdirSync('/proc/self/fd').length
  const spool = openSpool({ memoryBytes: 0 })
  const written = spool.write(Buffer.alloc(1024))
  await spool.body.close()
  await written
  assert.equal(readdirSync('/proc/self/fd').length, before)
})
