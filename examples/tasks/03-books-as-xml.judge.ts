/** Judges the project that it is copied into: 03-books-as-xml.md. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway } from 'integration-gateway/testing'

const operators = [
  { id: 'CAT', permissionLists: ['CATALOGUERS'] },
  { id: 'READER', permissionLists: ['READERS'] },
  { id: 'RAY' },
]
const isbn = '9780552137034'
const omens = '<book><title>Good Omens</title><author>Terry Pratchett</author><author>Neil Gaiman</author></book>'

async function open() {
  const gateway = await openTestGateway({ project: new URL('..', import.meta.url), operators })
  const call = (line: string, body = '', as = 'CAT') => gateway.call(line, { as, body })
  return { gateway, call }
}

test('a book is stored, read, replaced and deleted', async () => {
  const { gateway, call } = await open()
  await using _ = gateway
  assert.equal((await call(`PUT BOOK.v1/${isbn}`, omens)).status, 201)
  const { root } = (await call(`GET BOOK.v1/${isbn}`)).xml()
  assert.deepEqual([root.name, root.attributes.isbn, root.child('title')?.text], ['book', isbn, 'Good Omens'])
  const authors = (await call(`GET BOOK.v1/${isbn}/authors`)).xml().root
  assert.equal(authors.name, 'authors')
  for (const parent of [root, authors])
    assert.deepEqual(
      parent.elements('author').map(({ text }) => text),
      ['Terry Pratchett', 'Neil Gaiman'],
    )
  assert.equal(authors.child('title'), undefined)

  const other = '<book><title>Kühe &amp; &lt;Käse&gt;</title><author>Zoë</author></book>'
  assert.equal((await call(`PUT BOOK.v1/${isbn}`, other)).status, 200)
  const replaced = (await call(`GET BOOK.v1/${isbn}`)).xml().root
  assert.equal(replaced.child('title')?.text, 'Kühe & <Käse>')
  assert.deepEqual(
    replaced.elements('author').map(({ text }) => text),
    ['Zoë'],
  )

  assert.equal((await call(`DELETE BOOK.v1/${isbn}`)).status, 204)
  for (const line of [`GET BOOK.v1/${isbn}`, `GET BOOK.v1/${isbn}/authors`, `DELETE BOOK.v1/${isbn}`])
    assert.equal((await call(line)).status, 404, line)
})

test('what is not a book or not an ISBN is refused with 400 and the reason', async () => {
  const { gateway, call } = await open()
  await using _ = gateway
  for (const line of ['GET BOOK.v1/978055213703', 'GET BOOK.v1/978055213703X/authors', 'DELETE BOOK.v1/1'])
    assert.equal((await call(line)).status, 400, line)
  const noTitle = await call(`PUT BOOK.v1/${isbn}`, '<book><author>Terry Pratchett</author></book>')
  assert.equal(noTitle.status, 400)
  assert.match(noTitle.text, /title/i)
  const noAuthor = await call(`PUT BOOK.v1/${isbn}`, '<book><title>Beowulf</title></book>')
  assert.equal(noAuthor.status, 400)
  assert.match(noAuthor.text, /author/i)
  assert.equal((await call(`PUT BOOK.v1/${isbn}`, '<book><title>')).status, 400)
  assert.equal((await call(`GET BOOK.v1/${isbn}`)).status, 404)
})

test('cataloguers do all of it, readers read', async () => {
  const { gateway, call } = await open()
  await using _ = gateway
  await call(`PUT BOOK.v1/${isbn}`, omens)
  assert.equal((await call(`GET BOOK.v1/${isbn}`, '', 'READER')).status, 200)
  for (const [line, as] of [
    [`PUT BOOK.v1/${isbn}`, 'READER'],
    [`DELETE BOOK.v1/${isbn}`, 'READER'],
    [`GET BOOK.v1/${isbn}`, 'RAY'],
  ] as const)
    assert.equal((await call(line, omens, as)).refusal?.code, 'permissionDenied', `${line} as ${as}`)
  assert.equal((await gateway.call(`GET BOOK.v1/${isbn}`)).status, 401)
})
