/** What refused URLs were meant to be (specification 36.14). */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { openNearNames } from '../../src/base/near-names.ts'
import { openFallbacks } from '../../src/model/fallbacks.ts'
import type { Operation } from '../../src/model/operation.ts'
import { findSignpost, type PublishedGateway } from '../../src/model/signposts.ts'

const services = new Map(
  Object.entries({
    'ECHO.v1': ['GET'],
    'ECHO.v3': ['GET'],
    'KEY_VALUE.v1': ['GET', 'POST'],
    'EMPLID.v2': ['GET'],
    'Job-Data.v1': ['GET'],
  }).map(([name, methods]) => [
    name,
    new Map(
      methods.map((method) => [
        method,
        {
          name: name
            .replace(/\.v\d+$/, '')
            .toUpperCase()
            .replaceAll('-', '_'),
        },
      ]),
    ),
  ]),
)
const passing = { id: 'OLD_GET.upstream', ofNode: 'OLD', method: 'GET' } as Operation
const published: PublishedGateway = {
  gatewayPath: 'PSIGW',
  compatibility: { emptySegments: false, sessionSuffix: false },
  nodes: new Set(['PSFT_HR', 'LOCAL_NODE']),
  services,
  fallbacks: openFallbacks([], []),
  accepts: () => false,
}
const root = '/PSIGW/RESTListeningConnector'

suite('a table of mistakes', () => {
  const cases: readonly (readonly [line: string, expected: RegExp])[] = [
    [`GET ${root}/PSFT_HR/ECHO.v1/echo/x`, /^$/],
    [
      'GET /psigw/RESTListeningConnector/PSFT_HR/ECHO.v1',
      /^"psigw" must be PSIGW, the gateway path\. Right would be \/PSIGW\/RESTListeningConnector\/PSFT_HR\/ECHO\.v1$/,
    ],
    ['GET /RESTListeningConnector/PSFT_HR/ECHO.v1', /^The gateway path PSIGW is missing\. Right/],
    [
      'GET /PSIGW/PSFT_HR/ECHO.v1',
      /^RESTListeningConnector is missing before PSFT_HR\. Right would be \/PSIGW\/RESTListeningConnector\/PSFT_HR\/ECHO\.v1$/,
    ],
    ['GET /PSIGW/RestListeningConnector/PSFT_HR/ECHO.v1', /"RestListeningConnector" must be RESTListeningConnector/],
    [
      'GET /PSIGW/HttpListeningConnector',
      /^URLs have the form \/PSIGW\/RESTListeningConnector\/<node>\/<operation>\.v1/,
    ],
    [`GET ${root}/PSFT_HR`, /^URLs have the form/],
    [`GET ${root}/ECHO.v1/x`, /^The node is missing before ECHO\.v1; active are PSFT_HR, LOCAL_NODE\.$/],
    [`GET ${root}/ECHO.v1`, /^The node is missing before ECHO\.v1/],
    [`GET ${root}/psft_hr/ECHO.v1`, /^The node "psft_hr" must be PSFT_HR\. Right/],
    [`GET ${root}/ELSEWHERE/ECHO.v1`, /^No active node is near "ELSEWHERE"; active are PSFT_HR, LOCAL_NODE\.$/],
    [
      `GET ${root}/PSFT_HR//ECHO.v1`,
      /^An empty segment \(\/\/\) is before the operation\. Right would be .*\/PSFT_HR\/ECHO\.v1$/,
    ],
    [
      `GET ${root}/PSFT_HR/ECHO.v1;jsessionid=a/x`,
      /^It has a session id \(;jsessionid\)\. Right would be .*\/ECHO\.v1$/,
    ],
    [
      `GET ${root}/PSFT_HR//ECHOO.v1`,
      /^An empty segment [^;]*; "ECHOO\.v1" is not known; ECHO\.v1 is near\. Right would be/,
    ],
    [
      `GET ${root}/PSFT_HR/JOB_DATA.v1`,
      /^"JOB_DATA\.v1" has the name of the operation; URLs have its alias, Job-Data\. Right would be .*\/Job-Data\.v1$/,
    ],
    [`GET ${root}/PSFT_HR/job_data_get.v1`, /URLs have its alias, Job-Data\. Right/],
    [`GET ${root}/PSFT_HR/ECHO`, /^"ECHO" has no version\. Right would be .*\/ECHO\.v1$/],
    [`GET ${root}/PSFT_HR/ECHO.V1`, /^"V1" must be v1\. Right/],
    [`GET ${root}/PSFT_HR/ECHO_GET.v1`, /^"ECHO_GET\.v1" has the method in its name.*Right would be .*\/ECHO\.v1$/],
    [
      `GET ${root}/PSFT_HR/ECHO.v1.json`,
      /^"ECHO\.v1\.json" has "\.json" behind its version\. Right would be .*\/ECHO\.v1$/,
    ],
    [`GET ${root}/PSFT_HR/ECHOO.v1.xml`, /behind its version; "ECHOO\.v1" is not known; ECHO\.v1 is near\. Right/],
    [`GET ${root}/PSFT_HR/ECHOO%2Ev1`, /^"ECHOO\.v1" is not known; ECHO\.v1 is near\. Right would be .*\/ECHO\.v1$/],
    [`GET ${root}/PSFT_HR/ECHO%z.v1`, /^"ECHO%z\.v1" is not known; ECHO\.v1 is near/],
    [`GET ${root}/PSFT_HR/echo.v1`, /^"echo\.v1" is not known; ECHO\.v1 is near\. Right/],
    [`GET ${root}/PSFT_HR/KEYVALUE.v1`, /KEY_VALUE\.v1 is near\. Right/],
    [`GET ${root}/PSFT_HR/EMPLID.v1`, /^"EMPLID" has no version v1; EMPLID\.v2 is near/],
    [`GET ${root}/PSFT_HR/EXAM.v1`, /^No active operation is near "EXAM\.v1"\.$/],
    [`GET ${root}/PSFT_HR/SOMETHING_ELSE.v1`, /^No active operation is near "SOMETHING_ELSE\.v1"\.$/],
    [`DELETE ${root}/PSFT_HR/KEY_VALUE.v1`, /^"KEY_VALUE\.v1" has GET, POST, not DELETE\./],
    [
      `GET ${root}/psft_hr/echo_get.v1`,
      /^The node "psft_hr" must be PSFT_HR; "echo_get\.v1" is not known; ECHO\.v1 is near\. Right would be .*\/PSFT_HR\/ECHO\.v1$/,
    ],
  ]
  for (const [line, expected] of cases)
    test(`36.14 ${line}`, () => {
      const [method = '', path = ''] = line.split(' ')
      assert.match(findSignpost(method, path, published), expected)
    })
})

test('36.14 a name in small letters keeps them at the beginning of the reason', () => {
  const small = { ...published, services: new Map([['jobs.v1', new Map([['GET', { name: 'JOBS' }]])]]) }
  assert.match(findSignpost('GET', `${root}/PSFT_HR/jobs.v2`, small), /^"jobs" has no version v2; jobs\.v1 is near/)
  assert.match(findSignpost('PUT', `${root}/PSFT_HR/jobs.v1`, small), /^"jobs\.v1" has GET, not PUT\./)
})

test('1.14, 2.35, 36.14 an operation without a version, and a gateway path of two segments, are near their mistakes', () => {
  const services = new Map([['absence', new Map([['GET', { name: 'TIME_OFF' }]])]])
  const unversioned = { ...published, gatewayPath: 'SSCDEV/PSIGW', services }
  const right = /Right would be \/SSCDEV\/PSIGW\/RESTListeningConnector\/PSFT_HR\/absence$/
  const rows: readonly (readonly [path: string, expected: RegExp])[] = [
    [`/SSCDEV${root}/PSFT_HR/absence/request`, /^$/],
    [`${root}/PSFT_HR/absence`, /^"PSIGW" must be SSCDEV\/PSIGW, the gateway path\./],
    [`/SSCDEV${root}/PSFT_HR/absence.v1`, /^"absence\.v1" has a version, which the URLs of absence do not have\./],
    [`/SSCDEV${root}/PSFT_HR/Absense`, /^"Absense" is not known; absence is near\./],
    [
      `/SSCDEV${root}/PSFT_HR/TIME_OFF.v1`,
      /^"TIME_OFF\.v1" has the name of the operation; URLs have its alias, absence\./,
    ],
    [`/SSCDEV${root}/PSFT_HR/time_off_get`, /URLs have its alias, absence\./],
  ]
  for (const [path, expected] of rows) {
    const told = findSignpost('GET', path, unversioned)
    assert.match(told, expected)
    if (told !== '') assert.match(told, right)
  }
})

test('36.14 what the upstream of a node passes on is no mistake', () => {
  const moving = { ...published, nodes: new Set(['PSFT_HR', 'OLD']), fallbacks: openFallbacks([passing], []) }
  const find = (path: string) => findSignpost('GET', `${root}${path}`, moving)
  assert.match(find('/OLDD/ECHOO.v1'), /^The node "OLDD" must be OLD\. Right would be .*\/OLD\/ECHOO\.v1$/)
  assert.match(find('/OLD/ECHOO'), /^"ECHOO" has no version\. Right would be .*\/OLD\/ECHOO\.v1$/)
  assert.match(
    find('/OLDD/ECHO_GET.v1'),
    /"ECHO_GET\.v1" has the method in its name.* Right would be .*\/OLD\/ECHO\.v1$/,
  )
  assert.match(find('/PSFT_HR/ECHOO.v1'), /^"ECHOO\.v1" is not known; ECHO\.v1 is near/)
})

test('36.14 of ten thousand names few are compared, and a typing error at either end is found', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `OPERATION_${String(index * 7919).padStart(8, '0')}.v1`)
  const near = openNearNames([...names, 'COUNTRY_GET_ALL.v1'])
  assert.equal(near('XOUNTRY_GET_ALL.v1'), 'COUNTRY_GET_ALL.v1')
  assert.equal(near('country_get_al.v1'), 'COUNTRY_GET_ALL.v1')
  assert.equal(near('x'.repeat(100_000)), undefined)
})
