/** 100,000 lines of 100 bytes, as often as an operation asks for, up to 1,000 times. */
import type { HandlerDatabase } from 'integration-gateway'

export async function up(database: HandlerDatabase) {
  const { schema } = database
  await schema.createTable('TIMES').addColumn('TIME', 'integer').execute()
  await schema.createTable('LINE').addColumn('ID', 'integer').addColumn('TEXT', 'text').execute()
  await database.insertRows(
    'TIMES',
    ['TIME'],
    numbers(1000, (number) => [number]),
  )
  const text = 'a line that is long enough to be counted, with a few words at its end to get there. '
  await database.insertRows(
    'LINE',
    ['ID', 'TEXT'],
    numbers(100_000, (number) => [number, text + (number % 97)]),
  )
}

function* numbers<Row>(count: number, row: (number: number) => Row) {
  for (let number = 0; number < count; number += 1) yield row(number)
}
