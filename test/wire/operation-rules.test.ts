/** Limits, deprecation, descriptions and examples of operations (specification 2.31 to 2.33, 7.20). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defineGateway, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import { openTestGateway } from 'integration-gateway/testing'
import { findWarnings } from '../../src/configuration/find-warnings.ts'
import { parseConfiguration } from '../../src/configuration/parse-configuration.ts'

const handler = 'handlers/sample.ts'
const document = { documentTemplate: 'PAGE' }
const configuration = defineGateway({
  nodes: [
    { name: 'HERE', isDefaultLocal: true },
    { name: 'ANONYMOUS', defaultUser: 'ANYONE' },
  ],
  services: [{ name: 'SAMPLES' }],
  documents: [
    {
      name: 'PAGE_DOCUMENT',
      elements: {
        id: { type: 'String', pattern: '[A-Z]+', description: 'Of an employee.', examples: ['ANN'] },
        size: { type: 'Integer', minimum: 1, maximum: 50 },
      },
    },
  ],
  messages: [{ name: 'PAGE', document: 'PAGE_DOCUMENT' }],
  operations: [
    { service: 'SAMPLES', name: 'SLOW', method: 'GET', timeout: '20ms', handler },
    { service: 'SAMPLES', name: 'SMALL', method: 'POST', bodyLimit: '4', handler },
    { service: 'SAMPLES', name: 'WIDE', method: 'POST', bodyLimit: '1GiB', timeout: '1h', handler },
    {
      service: 'SAMPLES',
      name: 'HIRE',
      method: 'GET',
      uriTemplates: ['{id}{?size}'],
      ...document,
      deprecated: { since: '2026-12-31', sunset: '2027-06-30T12:00:00Z', successor: 'HIRE_GET.v2' },
      handler,
    },
    {
      service: 'SAMPLES',
      name: 'HIRE',
      alias: 'Hire',
      method: 'GET',
      version: 'v2',
      uriTemplates: ['{id}{?size}', 'all'],
      ...document,
      description: 'One employee',
      requestMessage: { description: 'Nothing.' },
      responseMessage: {
        contentType: 'application/json',
        description: 'The employee.',
        examples: ['{"id":"ANN"}', '{"id":"BOB"}'],
      },
      handler,
    },
    {
      service: 'SAMPLES',
      name: 'OLD',
      method: 'POST',
      uriTemplates: ['x'],
      requestMessage: { contentType: 'text/csv', examples: ['a,b\n1,2\n'] },
      deprecated: { since: '2020-01-01', successor: 'https://api.example.com/new' },
      handler,
    },
    {
      service: 'SAMPLES',
      name: 'GONE',
      method: 'GET',
      uriTemplates: ['x', 'y/{id}'],
      ...document,
      deprecated: { since: '2020-01-01', successor: 'HIRE_GET.v2' },
      handler,
    },
  ],
  permissionLists: [{ name: 'ALL', services: ['SAMPLES'] }],
})

class Sample implements Handler {
  async onRequest(request: RequestMessage, { broker, signal }: HandlerContext) {
    const response = broker.createMessage(request.operationName, 'response')
    if (request.operationName === 'SLOW_GET') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (request.operationName === 'HIRE_GET') response.setRestCache(Date.parse('2030-01-01'))
    response.setContentString(await request.getContentString())
    return response
  }
}

const operators = [{ id: 'ANYONE', permissionLists: ['ALL'] }]
const it = await openTestGateway({ project: { configuration, handlers: { [handler]: Sample } }, operators })
test.after(() => it.close())

test('2.31 a handler has the time limit of its operation', async () => {
  const { status, refusal } = await it.call('GET SLOW.v1/')
  assert.deepEqual([status, refusal?.code], [504, 'handlerTimedOut'])
  assert.match(refusal?.reason ?? '', /exceeded its time of 20 ms/)
})

test('2.31 a body may be as long as its operation allows', async () => {
  const small = await it.call('POST SMALL.v1/', { body: '1234' })
  assert.deepEqual([small.status, small.text], [200, '1234'])
  const large = await it.call('POST SMALL.v1/', { body: '12345' })
  assert.deepEqual([large.status, large.refusal?.code], [413, 'bodyTooLarge'])
  assert.equal(large.json().detail, 'The request body is larger than 4 bytes.')
})

test('2.31 a limit above that of the gateway has no effect, which is a warning', async () => {
  const settings = { 'ig.limits.body': '2' }
  await using own = await openTestGateway({
    project: { configuration, handlers: { [handler]: Sample } },
    operators,
    settings,
  })
  assert.equal((await own.call('POST WIDE.v1/', { body: '123' })).refusal?.code, 'bodyTooLarge')
  const limits = { handlerTimeout: 30_000, maxBodyBytes: 256 * 1024 ** 2 }
  const warnings = findWarnings(parse(), { handlerFolders: [''], limits })
  assert.deepEqual(
    warnings.filter(({ path }) => path.startsWith('operations[2]')),
    [
      {
        path: 'operations[2].timeout',
        message:
          'has no effect: 1h is more than ig.limits.handlerTimeout allows. Lower it, or raise ig.limits.handlerTimeout',
      },
      {
        path: 'operations[2].bodyLimit',
        message: 'has no effect: 1GiB is more than ig.limits.body allows. Lower it, or raise ig.limits.body',
      },
    ],
  )
})

function parse() {
  const parsed = parseConfiguration(configuration)
  if ('problems' in parsed) assert.fail(JSON.stringify(parsed.problems))
  return parsed.configuration
}

const announced = {
  deprecation: '@1798675200',
  sunset: 'Wed, 30 Jun 2027 12:00:00 GMT',
  link: '</PSIGW/RESTListeningConnector/HERE/Hire.v2/ANN?size=5&x=%3C>; rel="successor-version"',
}

function announcementOf({
  headers: { deprecation, sunset, link },
}: {
  readonly headers: Readonly<Record<string, string>>
}) {
  return { deprecation, sunset, link }
}

test('2.32, 7.20 every response of a deprecated operation announces it: from the handler, the cache, and refusals', async () => {
  const line = 'GET Hire.v1/ANN?size=5&x=%3C'
  const [first, cached] = [await it.call(line), await it.call(line)]
  assert.deepEqual([first.isCached, cached.isCached], [false, true])
  assert.deepEqual(announcementOf(first), announced)
  assert.deepEqual(announcementOf(cached), announced)
  const refused = await it.call('GET Hire.v1/ANN?size=51&x=%3C')
  assert.deepEqual([refused.status, refused.json().detail], [400, 'size must be at most 50, not "51".'])
  assert.deepEqual(announcementOf(refused), { ...announced, link: announced.link.replace('size=5', 'size=51') })
})

test('7.20 other operations announce nothing', async () => {
  const expected = { deprecation: undefined, sunset: undefined, link: undefined }
  assert.deepEqual(announcementOf(await it.call('GET Hire.v2/ANN')), expected)
})

test('7.20 a successor with other URI templates is linked without path, an external one by its URL', async () => {
  const { link } = announcementOf(await it.call('GET GONE.v1/y/A'))
  assert.equal(link, '</PSIGW/RESTListeningConnector/HERE/Hire.v2>; rel="successor-version"')
  const old = announcementOf(await it.call('POST OLD.v1/x'))
  assert.equal(old.link, '<https://api.example.com/new>; rel="successor-version"')
  assert.deepEqual([old.deprecation, old.sunset], ['@1577836800', undefined])
})

test('7.20 characters that a URL may contain and a link may not are encoded', async () => {
  const { link = '' } = announcementOf(await it.call('GET Hire.v1/A>"B'))
  assert.match(link, /^<[^<>"]*\/A%3E%22B>; rel="successor-version"$/)
})

const faults = [
  {
    title: '2.31 a limit is a time or a size with its unit',
    change: { timeout: '5', bodyLimit: 'much' },
    problems: [
      'bodyLimit must be a size in bytes, or with a unit: 8KiB, 256MiB, 2GiB',
      'timeout must be a time with its unit, up to 24h: 500ms, 30s, 5min',
    ],
  },
  {
    title: '2.32 dates of a deprecation exist and are in order',
    change: { deprecated: { since: '2026-02-30', sunset: '2026-01-01' } },
    problems: ['deprecated.since must be a date, or a date and time in UTC: 2026-12-31, or 2026-12-31T23:00:00Z'],
  },
  {
    title: '2.32 a sunset before the deprecation is an error',
    change: { deprecated: { since: '2026-02-02', sunset: '2026-02-01' } },
    problems: ['deprecated.sunset must not be before since, 2026-02-02'],
  },
  {
    title: '2.32 a successor is another operation',
    change: { deprecated: { since: '2026-02-02', successor: 'SLOW_GET.v1' } },
    problems: ['deprecated.successor names the operation itself: name the one that replaces it'],
  },
  {
    title: '2.32 a successor that does not exist is an error',
    change: { deprecated: { since: '2026-02-02', successor: 'HIRE_GET.v3' } },
    problems: [
      'deprecated.successor names no operation of this configuration: "HIRE_GET.v3"; did you mean HIRE_GET.v1?',
    ],
  },
  {
    title: '2.33 an example of a JSON message is JSON',
    change: { responseMessage: { contentType: 'application/json; encoding=UTF-8', examples: ['{}', '{'] } },
    problems: ['responseMessage.examples[1] is not JSON, as the content type of its message says'],
  },
]

for (const { title, change, problems } of faults) {
  test(title, () => {
    const [first, ...others] = configuration.operations
    const parsed = parseConfiguration({ ...configuration, operations: [{ ...first, ...change }, ...others] })
    const found = 'problems' in parsed ? parsed.problems.map(({ path, message }) => `${path} ${message}`) : []
    assert.deepEqual(
      found,
      problems.map((problem) => `operations[0].${problem}`),
    )
  })
}
