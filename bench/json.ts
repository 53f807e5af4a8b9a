/**
 * `node bench/json.ts`: what `getJson` and `setJson` cost beside `JSON.parse` and `JSON.stringify`, on one document of 800 bytes:
 * microseconds of processor time a call, the median of alternating rounds. `getJson` reads the bytes of a body, with all checks.
 */
import { openSpool } from '../src/http/spool.ts'
import type { Call } from '../src/model/call.ts'
import { SpooledRequest } from '../src/model/content/request-message.ts'
import { FilledResponse } from '../src/model/content/response-message.ts'
import type { Operation } from '../src/model/operation.ts'

const employee = {
  id: 4711,
  name: 'Ann Östberg',
  email: 'ann.ostberg@example.com',
  isActive: true,
  salary: 5230.5,
  manager: null,
  address: { street: 'Main Street 12', city: 'Springfield', zip: '12345', country: 'SE' },
  skills: [
    { name: 'welding', level: 3, since: '2019-04-01' },
    { name: 'english', level: 5, since: '2001-09-15' },
  ],
  history: Array.from({ length: 5 }, (_, at) => ({
    year: 2020 + at,
    grade: 'ABCDE'[at],
    bonus: at * 250,
    note: `note ${at}`,
  })),
  tags: ['a', 'b', 'c'],
}
const filled = { ...employee, note: 'x'.repeat(800 - Buffer.byteLength(JSON.stringify({ ...employee, note: '' }))) }
const text = JSON.stringify(filled)
const bytes = Buffer.from(text)

const operation = {
  response: { httpCode: 200, contentType: 'application/json' },
  handler: class {},
} as unknown as Operation
const spool = openSpool({ memoryBytes: 256 * 1024 })
spool.write(bytes)
const request = new SpooledRequest({
  call: { headers: { 'content-type': 'application/json' } } as unknown as Call,
  target: { rawPath: '/', rawQuery: undefined, query: [] },
  operation,
  uri: { uriResourceIndex: 1, values: {}, texts: new Map() },
  transactionId: '',
  body: spool.body,
  limits: { xmlMaxDepth: 1, xmlMaxAttributes: 1, xmlMaxTextLength: 1, jsonMaxBytes: 10 * 1024 ** 2 },
  platformName: 'platform',
})

const calls = 2_000
const rounds = 151
let sink: unknown
const works: Readonly<Record<string, () => unknown>> = {
  parse: () => JSON.parse(text),
  getJson: () => request.getJson(),
  stringify: () => JSON.stringify(filled),
  setJson: () => {
    const response = new FilledResponse(operation, '', 'platform')
    response.setJson(filled)
    return response
  },
}

async function measure(work: () => unknown): Promise<number> {
  const begun = process.cpuUsage()
  for (let at = 0; at < calls; at += 1) sink = await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / calls
}

const times = new Map(Object.keys(works).map((name) => [name, [] as number[]]))
for (let round = 0; round < rounds + 30; round += 1) {
  for (const [name, work] of Object.entries(works)) {
    const time = await measure(work)
    if (round >= 30) times.get(name)?.push(time)
  }
}
const median = (name: string) => times.get(name)?.sort((a, b) => a - b)[rounds >> 1] ?? 0
for (const [plain, checked] of [
  ['parse', 'getJson'],
  ['stringify', 'setJson'],
] as const) {
  const [before, after] = [median(plain), median(checked)]
  console.log(
    `${checked} ${after.toFixed(2)} µs, JSON.${plain} ${before.toFixed(2)} µs: ${(after - before).toFixed(2)} µs more`,
  )
}

export { sink }
