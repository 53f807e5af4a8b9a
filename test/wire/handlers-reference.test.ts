import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CachedTime } from '../../examples/reference/handlers/cached-time.ts'
import { Echo } from '../../examples/reference/handlers/echo.ts'
import { KeyValueDelete, KeyValueGet, KeyValuePost, KeyValuePut } from '../../examples/reference/handlers/key-value.ts'
import { Metadata } from '../../examples/reference/handlers/metadata.ts'
import { formatDateTime, formatHttpDate } from '../../src/sdk.ts'
import type { Store } from '../../src/store/store.ts'
import { forEachDatabase } from '../support/databases.ts'
import { type RunOptions, run, someTransactionId, succeed } from '../support/handler-run.ts'
import { readStaged, withKeyValueStore } from '../support/key-value-store.ts'

const declaration = '<?xml version="1.0"?>'
const time = new Date(2026, 10, 21, 10, 11, 12).getTime() + 345.678
const formatted = '2026-11-21-10.11.12.345678'
const now = () => time

const get = { method: 'GET' } as const
const jsonResponse = { kind: 'nonRowset', contentType: 'application/json; encoding=UTF-8', httpCode: 200 } as const

test('9.2 the metadata is an object of seven strings, in the order of the description', async () => {
  const { text, headers } = await succeed({
    handler: Metadata,
    operation: { ...get, response: jsonResponse },
    operatorId: 'GUEST',
    now: () => Date.UTC(2026, 10, 21, 10, 11, 12) + 0.5,
  })
  assert.equal(headers['content-type'], 'application/json; encoding=UTF-8')
  assert.equal(
    text,
    JSON.stringify({
      currentUser: 'GUEST',
      dbname: 'GATEWAY',
      toolsRelease: '1.2.3',
      platformTransactionId: someTransactionId,
      responseDTTM: 'Sat, 21 Nov 2026 10:11:12 GMT',
      dbType: 'SQLITE',
      serverTimeZone: 'UTC',
    }),
  )
})

test('7.3 the name of the platform names the transaction id of the metadata', async () => {
  const settings = { platformName: 'acme' }
  const { text } = await succeed({ handler: Metadata, operation: get, settings })
  assert.equal(JSON.parse(text).acmeTransactionId, someTransactionId)
  assert.equal('platformTransactionId' in JSON.parse(text), false)
})

for (const value of ['v', 'a b', '', 'é€😀', '<&>"\'', ' \t\r\n ', 'x'.repeat(8000)]) {
  test(`9.12 ECHO returns ${JSON.stringify(value.slice(0, 20))} as response/parameter1`, async () => {
    const { response, text } = await succeed({ handler: Echo, operation: get, values: { parameter1: value } })
    assert.equal(response?.status, 200)
    const escaped = value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('\r', '&#13;')
    const element = value === '' ? '<parameter1/>' : `<parameter1>${escaped}</parameter1>`
    assert.equal(text, `${declaration}<response>${element}</response>`)
  })
}

for (const value of ['\u0001', 'a\u000bb', '\ufffe']) {
  test(`9.12 ECHO of ${JSON.stringify(value)}, which XML cannot represent, is uriValueInvalid`, async () => {
    const { refusal } = await run({ handler: Echo, operation: get, values: { parameter1: value } })
    assert.equal(refusal?.code, 'uriValueInvalid')
    assert.match(refusal?.detail ?? '', /^parameter1 has a character/)
  })
}

test('9.13 CACHED_TIME has system-time and current-user, and is cached for two minutes', async () => {
  const operation = { ...get, cacheKeyPolicy: 'shared' } as const
  const { response, text, notes } = await succeed({ handler: CachedTime, operation, now })
  const children = `<system-time>${formatted}</system-time><current-user>DEMO</current-user>`
  assert.equal(text, `${declaration}<response>${children}</response>`)
  assert.equal(response?.cacheExpires, time + 120_000)
  assert.deepEqual(notes, [])
})

test('7.7 a date and time has microseconds and the time zone of the server', () => {
  assert.equal(formatDateTime(time), formatted)
  assert.equal(formatDateTime(new Date(2026, 0, 2, 3, 4, 5).getTime()), '2026-01-02-03.04.05.000000')
  assert.equal(formatDateTime(new Date(2026, 0, 2, 3, 4, 5).getTime() + 999.9996), '2026-01-02-03.04.05.999999')
  assert.equal(formatDateTime(new Date(1969, 11, 31, 23, 59, 59).getTime() + 1.5), '1969-12-31-23.59.59.001500')
  assert.equal(formatDateTime('2026-11-21 10:11:12.345678'), formatted)
  assert.equal(formatDateTime('2026-11-21T10:11:12'), '2026-11-21-10.11.12.000000')
  assert.throws(() => formatDateTime('yesterday'), RangeError)
})

test('7.7 an HTTP date has whole seconds, in GMT', () => {
  const second = Date.UTC(2026, 10, 21, 10, 11, 12)
  assert.equal(formatHttpDate(second), 'Sat, 21 Nov 2026 10:11:12 GMT')
  assert.equal(formatHttpDate(second + 999.999), 'Sat, 21 Nov 2026 10:11:12 GMT')
  assert.equal(formatHttpDate(second + 1000), 'Sat, 21 Nov 2026 10:11:13 GMT')
  assert.equal(formatHttpDate(-1), 'Wed, 31 Dec 1969 23:59:59 GMT')
})

const post = (store: Store, body: string | Buffer, others: Partial<RunOptions> = {}) =>
  run({ handler: KeyValuePost, store, body, now, ...others })

const rows = (...pairs: readonly (readonly [key: string, value: string])[]) =>
  `<request>${pairs.map(([key, value]) => `<row><key>${key}</key><value>${value}</value></row>`).join('')}</request>`

const metaOf = (more = '') =>
  `${declaration}<response><META isMETA="True"><OPRID>DEMO</OPRID><CURRENT_TIME>${formatted}</CURRENT_TIME>` +
  `<TRANSACTION_ID>${someTransactionId}</TRANSACTION_ID><DBNAME>GATEWAY</DBNAME>${more}</META></response>`

const malformed: readonly { readonly title: string; readonly body: string | Buffer; readonly detail?: RegExp }[] = [
  { title: '9.6 an empty body', body: '' },
  { title: '9.6 a root other than request', body: '<requests/>', detail: /not request: requests/ },
  { title: '9.6 a root in upper case', body: '<REQUEST/>' },
  { title: '9.6 ill-formed XML after 5000 rows', body: `${rows(...many(5000)).slice(0, -10)}` },
  { title: '9.6 text after the root', body: `${rows(...many(3000))}x` },
  { title: '9.6 a DOCTYPE', body: `<!DOCTYPE request>${rows(['a', 'b'])}` },
  { title: '5.11 100,000 nested elements in the second row', body: deep(), detail: /more than 256 deep/ },
  {
    title: '5.12 invalid UTF-8 in the last row',
    body: Buffer.concat([Buffer.from(rows(...many(3000)).slice(0, -20)), Buffer.from([0xff])]),
  },
  {
    title: '9.7 a key of 255 characters in the last of 10,000 rows',
    body: rows(...many(9999), ['k'.repeat(255), '']),
    detail: /^Row 10000 is refused: its key has more than 254 characters/,
  },
]

forEachDatabase((database) => {
  const { name } = database
  const withStore = (work: (store: Store) => Promise<void>) => () => withKeyValueStore(database, work)

  test(
    `9.3 a POST inserts one record for each row, and returns the META document (${name})`,
    withStore(async (store) => {
      const { text, headers, refusal } = await post(store, rows(['a', '1'], ['b', ' 2 '], ['a', '<![CDATA[<3>]]>']))
      assert.equal(refusal, undefined)
      assert.equal(headers['content-type'], 'text/xml; encoding="UTF-8"')
      assert.equal(text, metaOf())
      const staged = await readStaged(store)
      assert.deepEqual(
        staged.map(({ KEY1, LONGVALUE }) => [KEY1, LONGVALUE]),
        [
          ['a', '1'],
          ['b', ' 2 '],
          ['a', '<3>'],
        ],
      )
      for (const row of staged) {
        assert.equal(row.IBTRANSACTIONID, someTransactionId)
        assert.equal(row.ADD_DTTM, '2026-11-21 10:11:12.345678')
      }
    }),
  )

  const read: readonly {
    readonly title: string
    readonly body: string | Buffer
    readonly staged: readonly [string, string][]
  }[] = [
    { title: '9.6 <request/> is valid', body: '<request/>', staged: [] },
    {
      title: '9.4 children count in any letter case',
      body: '<request><row><KEY>a</KEY><vAlue>1</vAlue></row></request>',
      staged: [['a', '1']],
    },
    {
      title: '9.4 other children are ignored',
      body: '<request><row><keys>x</keys><key>a</key><x/><value>1</value></row><other/> t </request>',
      staged: [['a', '1']],
    },
    {
      title: '9.6 a missing child is the empty string',
      body: '<request><row/><row><key>a</key></row><row><value>1</value></row></request>',
      staged: [
        ['', ''],
        ['a', ''],
        ['', '1'],
      ],
    },
    {
      title: '9.6 of a repeated child the last counts',
      body: '<request><row><key>a</key><KEY>b</KEY><value>1</value><value/></row></request>',
      staged: [['b', '']],
    },
    {
      title: '9.6 values are not trimmed',
      body: '<request><row><key> a </key><value>\n 1&#13;\t</value></row></request>',
      staged: [[' a ', '\n 1\r\t']],
    },
    { title: '5.12 UTF-16 is read', body: Buffer.from(`\ufeff${rows(['é', '😀'])}`, 'utf16le'), staged: [['é', '😀']] },
    {
      title: '9.7 a key of 254 characters is stored, even of characters that JavaScript counts twice',
      body: rows(['k'.repeat(254), ''], ['😀'.repeat(254), '']),
      staged: [
        ['k'.repeat(254), ''],
        ['😀'.repeat(254), ''],
      ],
    },
  ]

  for (const { title, body, staged } of read) {
    test(
      `${title} (${name})`,
      withStore(async (store) => {
        const { refusal, text } = await post(store, body, { headers: { 'content-type': 'application/json' } })
        assert.equal(refusal, undefined)
        assert.equal(text, metaOf())
        assert.deepEqual(
          (await readStaged(store)).map(({ KEY1, LONGVALUE }) => [KEY1, LONGVALUE]),
          staged,
        )
      }),
    )
  }

  test(
    `9.7 every malformed body is refused, leaves no row, and the next request is served (${name})`,
    withStore(async (store) => {
      for (const { title, body, detail } of malformed) {
        const { refusal, isBodyClosed } = await post(store, body)
        assert.equal(refusal?.code, 'bodyMalformed', title)
        if (detail) assert.match(refusal?.detail ?? '', detail)
        assert.equal(isBodyClosed, true)
        assert.deepEqual(await readStaged(store), [], title)
      }
      assert.equal((await post(store, rows(['a', 'b']))).refusal, undefined)
      assert.equal((await readStaged(store)).length, 1)
    }),
  )

  test(
    `9.8 GET returns the rows of a key in order of insertion (${name})`,
    withStore(async (store) => {
      await post(store, rows(['a', '1'], ['A', 'no'], ['b', 'no'], ['a', '&lt;2&gt;']), { transactionId: 'one' })
      await post(store, rows(['a', '']), { transactionId: 'two' })
      const read = (values: RunOptions['values']) => succeed({ handler: KeyValueGet, operation: get, store, values })
      const row = (transaction: string, value: string) =>
        `<row><IBTRANSACTIONID>${transaction}</IBTRANSACTIONID><KEY1>a</KEY1>${value}<ADD_DTTM>${formatted}</ADD_DTTM></row>`
      const [first, second, third] = [
        row('one', '<LONGVALUE>1</LONGVALUE>'),
        row('one', '<LONGVALUE>&lt;2&gt;</LONGVALUE>'),
        row('two', '<LONGVALUE/>'),
      ]
      const { text, headers } = await read({ key: 'a' })
      assert.equal(headers['content-type'], 'text/xml; encoding="UTF-8"')
      assert.equal(trimmed(text), `${declaration}<response>${first}${second}${third}</response>`)
      assert.equal(
        trimmed((await read({ key: 'a', transaction: 'two' })).text),
        `${declaration}<response>${third}</response>`,
      )
      assert.equal((await read({ key: 'a', transaction: 'three' })).text, `${declaration}<response/>`)
      assert.equal((await read({ key: 'none' })).text, `${declaration}<response/>`)
    }),
  )

  test(
    `9.9 PUT replaces all rows of its key (${name})`,
    withStore(async (store) => {
      await post(store, rows(['a', '1'], ['b', '2'], ['a', '3']))
      const body = '<request><row><value>new</value></row><row><key>a</key><value>newer</value></row></request>'
      const { text } = await succeed({ handler: KeyValuePut, store, body, values: { key: 'a' }, now })
      assert.equal(text, metaOf('<ROWS>2</ROWS>'))
      assert.deepEqual(
        (await readStaged(store)).map(({ KEY1, LONGVALUE }) => [KEY1, LONGVALUE]),
        [
          ['b', '2'],
          ['a', 'new'],
          ['a', 'newer'],
        ],
      )
      const emptied = await succeed({ handler: KeyValuePut, store, body: '<request/>', values: { key: 'a' }, now })
      assert.equal(emptied.text, metaOf('<ROWS>0</ROWS>'))
      assert.equal((await readStaged(store)).length, 1)
    }),
  )

  test(
    `9.9 PUT of a row with another key is refused, and nothing is replaced (${name})`,
    withStore(async (store) => {
      await post(store, rows(['a', '1']))
      for (const key of ['b', 'A', '']) {
        const body = rows(['a', 'new'], [key, 'other'])
        const { refusal } = await run({ handler: KeyValuePut, store, body, values: { key: 'a' } })
        assert.equal(refusal?.code, 'bodyMalformed')
        assert.match(refusal?.detail ?? '', /^Row 2 is refused: its key is not that of the URL/)
      }
      assert.equal(
        (await run({ handler: KeyValuePut, store, body: '', values: { key: 'a' } })).refusal?.code,
        'bodyMalformed',
      )
      assert.deepEqual(
        (await readStaged(store)).map(({ LONGVALUE }) => LONGVALUE),
        ['1'],
      )
    }),
  )

  test(
    `9.10 DELETE removes the rows of its key, or those of one transaction (${name})`,
    withStore(async (store) => {
      await post(store, rows(['a', '1'], ['b', '2'], ['a', '3']), { transactionId: 'one' })
      await post(store, rows(['a', '4']), { transactionId: 'two' })
      const remove = (values: RunOptions['values']) => succeed({ handler: KeyValueDelete, store, values, now })
      assert.equal((await remove({ key: 'a', transaction: 'one' })).text, metaOf('<ROWS>2</ROWS>'))
      assert.equal((await remove({ key: 'a' })).text, metaOf('<ROWS>1</ROWS>'))
      assert.equal((await remove({ key: 'a' })).text, metaOf('<ROWS>0</ROWS>'))
      assert.deepEqual(
        (await readStaged(store)).map(({ LONGVALUE }) => LONGVALUE),
        ['2'],
      )
    }),
  )

  test(
    `9.11 an empty key of the URL is uriValueInvalid, and so is one that cannot be stored (${name})`,
    withStore(async (store) => {
      await post(store, rows(['', 'kept']))
      for (const handler of [KeyValueGet, KeyValuePut, KeyValueDelete]) {
        for (const key of ['', '\u0001', 'k'.repeat(255)]) {
          const { refusal } = await run({ handler, store, body: '<request/>', values: { key } })
          assert.equal(refusal?.code, 'uriValueInvalid')
        }
      }
      assert.equal((await readStaged(store)).length, 1)
    }),
  )
})

function many(count: number): [string, string][] {
  return Array.from({ length: count }, (_, index) => [`key ${index}`, 'value'])
}

function deep(): string {
  return `<request><row><key>a</key></row><row>${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}</row></request>`
}

/** PostgreSQL fills a char(36) with spaces where an id is shorter than a GUID. */
function trimmed(text: string): string {
  return text.replace(/ +<\/IBTRANSACTIONID>/g, '</IBTRANSACTIONID>')
}
