/**
 * The yardstick of `bulk.ts`: reads a body from a file, parses it with saxes and nothing around it, and stores each row
 * in one durable transaction: by a prepared insert on SQLite, by `unnest` of a thousand rows on PostgreSQL. Takes
 * `{ file, database }` as JSON, prints the seconds as JSON. The table is that of the reference project.
 */
import { createReadStream } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { SaxesParser } from 'saxes'

type Row = readonly [transaction: string, key: string, value: string, time: string]

interface Target {
  insert(row: Row): void
  /** Between two pieces of the body. */
  settle(): Promise<void>
  commit(): Promise<void>
}

const { file, database } = JSON.parse(process.argv[2] ?? '') as { file: string; database: string }
const target = database.startsWith('postgres') ? await openPostgres(database) : openSqlite(database)
const begun = performance.now()
await readRows()
await target.commit()
console.log(JSON.stringify({ seconds: (performance.now() - begun) / 1000 }))

async function readRows(): Promise<void> {
  const transaction = crypto.randomUUID()
  const time = '2026-11-21 10:11:12.123456'
  const parser = new SaxesParser({})
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let key = ''
  let value = ''
  let text = ''
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', () => {
    text = ''
  })
  parser.on('text', (piece) => {
    text += piece
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'key') key = text
    else if (name === 'value') value = text
    else if (name === 'row') target.insert([transaction, key, value, time])
  })
  for await (const chunk of createReadStream(file)) {
    parser.write(decoder.decode(chunk, { stream: true }))
    await target.settle()
  }
  parser.close()
}

function openSqlite(path: string): Target {
  const opened = new DatabaseSync(path)
  opened.exec('pragma journal_mode=wal; pragma synchronous=full; pragma journal_size_limit=67108864')
  const statement = opened.prepare(
    'insert into "C_KEY_VALUE" ("IBTRANSACTIONID", "KEY1", "LONGVALUE", "ADD_DTTM") values (?, ?, ?, ?)',
  )
  opened.exec('begin immediate')
  return {
    insert: (row) => void statement.run(...row),
    settle: async () => {},
    commit: async () => opened.exec('commit'),
  }
}

/** One batch is on its way while the next is put together, as in the gateway. */
async function openPostgres(url: string): Promise<Target> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  let columns: [string[], string[], string[], string[]] = [[], [], [], []]
  let underWay: Promise<unknown> = Promise.resolve()
  const send = async () => {
    const values = columns
    columns = [[], [], [], []]
    await underWay
    underWay = client.query(
      `insert into "C_KEY_VALUE" ("IBTRANSACTIONID", "KEY1", "LONGVALUE", "ADD_DTTM")
       select * from unnest($1::char(36)[], $2::varchar[], $3::text[], $4::timestamp[])`,
      values,
    )
  }
  return {
    insert: (row) => row.forEach((value, index) => void columns[index]?.push(value)),
    settle: async () => {
      if (columns[0].length >= 1000) await send()
    },
    async commit() {
      await send()
      await underWay
      await client.query('commit')
      await client.end()
    },
  }
}
