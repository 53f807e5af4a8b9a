/** The body spool: memory, then a file without a name (specification 5.10). */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Body } from '../../src/http/body.ts'
import { readRequest } from '../../src/http/head.ts'
import { spoolBody } from '../../src/http/incoming-call.ts'
import { Parser } from '../../src/http/llhttp.ts'
import { openSpool } from '../../src/http/spool.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'

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
  {
    title: '5.10 a body goes to disk from its first byte if none of it may stay in memory',
    memoryBytes: 0,
    isInMemory: false,
  },
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
    const pieces: Buffer[] = []
    for await (const piece of spool.body.pieces()) pieces.push(Buffer.from(piece)) // the next may take its place
    assert.deepEqual(Buffer.concat(pieces), whole)
    await spool.body.close()
    await spool.body.close()
    assert.deepEqual(readdirSync(folder), [])
  })
}

test('5.10 a body that the spool cannot store is refused with overloaded, and the log has the reason', async () => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = join(folder, 'absent')
  try {
    const spool = openSpool({ memoryBytes: 0 })
    await assert.rejects(async () => spool.write(Buffer.alloc(10)), {
      name: 'Refusal',
      code: 'overloaded',
      message: /^The spool in .*absent cannot take the body: ENOENT/,
    })
    await spool.body.close()
  } finally {
    process.env.TMPDIR = before
  }
})

test('5.10 the memory of chunks that are on disk is released once the next chunk is in another', async () => {
  const memory = (letter: string) => Buffer.from(new ArrayBuffer(64 * 1024)).fill(letter)
  const [first, second, third] = [memory('a'), memory('b'), memory('c')]
  const parts = [first.subarray(0, 20_000), first.subarray(20_000, 20_010), first.subarray(30_000), second, third]
  const spool = openSpool({ memoryBytes: 10_000 })
  const whole: Buffer[] = []
  const isHeld: boolean[][] = []
  for (const part of parts) {
    whole.push(Buffer.from(part))
    await spool.write(part)
    isHeld.push([first, second, third].map(({ buffer }) => buffer.byteLength > 0))
  }
  assert.deepEqual(isHeld, [
    [true, true, true],
    [true, true, true],
    [true, true, true],
    [false, true, true],
    [false, false, true],
  ])
  const shared = Buffer.from('short') // of Node's own block
  await spool.write(Buffer.alloc(20_000))
  await spool.write(shared)
  await spool.write(Buffer.alloc(20_000))
  assert.equal(shared.toString(), 'short')
  const text = (await spool.body.bytes()).toString()
  assert.equal(text.slice(0, Buffer.concat(whole).length), Buffer.concat(whole).toString())
  await spool.body.close()
})

for (const memoryBytes of [100_000, 30_000, 0]) {
  test(`5.10 a body of single bytes costs as much as its bytes, ${memoryBytes} of them in memory`, async () => {
    const spool = openSpool({ memoryBytes })
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index % 251))
    let writes = 0
    for (let index = 0; index < bytes.length; index++) {
      const written = spool.write(bytes.subarray(index, index + 1))
      if (written) writes += 1
      await written
      if (index === 40_000) await spool.write(Buffer.alloc(5000, 1))
    }
    const expected = Buffer.concat([bytes.subarray(0, 40_001), Buffer.alloc(5000, 1), bytes.subarray(40_001)])
    assert.deepEqual(await spool.body.bytes(), expected)
    const read = await spool.body.stream().toArray()
    assert.deepEqual(Buffer.concat(read), expected)
    assert.ok(read.length < 10 && writes < 10, `${read.length} pieces, ${writes} writes`)
    await spool.body.close()
  })
}

test('5.10 while a body of many small chunks is read, other connections are served', async () => {
  const head = Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
  const bytes = Buffer.concat([head, Buffer.from(`${'1\r\nx\r\n'.repeat(300)}0\r\n\r\n`)])
  const parser = new Parser()
  parser.read(bytes, 0)
  const limits = { maxUrlBytes: 100, maxHeaderBytes: 4096, maxBodyBytes: 4096, bodyTimeout: 30_000 }
  const request = readRequest(head.toString(), parser, new Socket(), limits)
  let rests = 0
  let at = head.length
  const readOn = () => {
    while (body.isWanted) at = Number(body.read(bytes, at))
    rests += 1
  }
  const body = new Body(request, parser, limits, readOn)
  const spooled = spoolBody(body, openSpool({ memoryBytes: 4096 }))
  assert.deepEqual([at, rests], [head.length + 256 * 6 - 2, 1])
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal(rests, 2)
  assert.equal((await spooled).size, 300)
})

test('5.10 an empty body can be read like any other', async () => {
  const { body } = openSpool({ memoryBytes: 10 })
  assert.deepEqual([body.size, (await body.bytes()).length, (await body.stream().toArray()).length], [0, 0, 0])
  await body.close()
})

test('5.10 a spool that is closed during a write leaves no descriptor open', async () => {
  const before = readdirSync('/proc/self/fd').length
  const spool = openSpool({ memoryBytes: 0 })
  const written = spool.write(Buffer.alloc(1024))
  await spool.body.close()
  await written
  assert.equal(readdirSync('/proc/self/fd').length, before)
})

test('5.10, 7.8 a body that does not fit in memory goes to disk; memory is released', async () => {
  const budget = new MemoryBudget(256 * 1024)
  const open = () => openSpool({ memoryBytes: 200_000, openAccount: () => budget.open() })
  const small = open()
  assert.equal(small.write(Buffer.alloc(16 * 1024)), undefined)
  assert.equal(budget.reserved, 0)
  const inMemory = open()
  assert.equal(inMemory.write(Buffer.alloc(150_000)), undefined)
  assert.ok(budget.reserved >= 150_000)
  const onDisk = open()
  const bytes = Buffer.alloc(150_000, 1)
  await onDisk.write(Buffer.from(bytes))
  assert.ok(budget.reserved < 256 * 1024)
  assert.deepEqual(await onDisk.body.bytes(), bytes)
  for (const { body } of [small, inMemory, onDisk]) await body.close()
  assert.equal(budget.reserved, 0)
})
