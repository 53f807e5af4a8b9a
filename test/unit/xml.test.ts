import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDateTime } from '../../src/base/date-time.ts'
import { decodeBody } from '../../src/model/content/encoding.ts'
import { createXmlDoc, isXmlText, writeXml, type XmlDocument, type XmlElement } from '../../src/model/content/xml.ts'
import { readXmlDocument, readXmlElements } from '../../src/model/content/xml-reader.ts'
import { MemoryBudget } from '../../src/model/memory-budget.ts'
import { Refusal } from '../../src/model/refusal.ts'
import { anyCharacter } from '../support/any-character.ts'

const limits = { xmlMaxDepth: 256, xmlMaxAttributes: 256, xmlMaxTextLength: 1_000_000 }

test('7.7 an XML document begins with <?xml version="1.0"?> and is not indented', () => {
  const document = createXmlDoc('response')
  const meta = document.root.addElement('META').setAttribute('isMETA', 'True')
  meta.addElement('OPRID', 'A&B <c>')
  meta.addElement('EMPTY')
  assert.equal(
    writeXml(document),
    '<?xml version="1.0"?><response><META isMETA="True"><OPRID>A&amp;B &lt;c&gt;</OPRID><EMPTY/></META></response>',
  )
})

test('5.11 reading what was written gives the same tree', async () => {
  await fc.assert(
    fc.asyncProperty(elements(), async (root) => {
      const document = { root }
      assert.deepEqual(shape((await read(writeXml(document))).root), shape(root))
    }),
  )
})

test('5.11 a stream of elements and a document have the same content, however the bytes arrive', async () => {
  await fc.assert(
    fc.asyncProperty(elements(), fc.integer({ min: 1, max: 40 }), async (root, size) => {
      const bytes = Buffer.from(writeXml({ root }))
      const streamed: unknown[] = []
      const pieces = decodeBody(inPieces(bytes, size), undefined)
      for await (const element of readXmlElements(pieces, limits)) streamed.push(shape(element))
      assert.deepEqual(streamed, root.elements().map(shape))
    }),
  )
})

test('5.11 a stream of elements gives each element once, in order, although several are asked for at once', async () => {
  const stream = readXmlElements(decodeBody(inPieces(Buffer.from('<r><a/><b/><c/></r>'), 7), undefined), limits)
  const elements = await Promise.all(Array.from({ length: 5 }, () => stream[Symbol.asyncIterator]().next()))
  assert.deepEqual(
    elements.map(({ done, value }) => (done ? 'end' : value.name)),
    ['a', 'b', 'c', 'end', 'end'],
  )
})

test('5.11 a stream of elements that a handler leaves, or that has an error, reads no further', async () => {
  let ended = 0
  async function* pieces(rest: string) {
    try {
      yield '<r><a/><b/>'
      yield rest
    } finally {
      ended += 1
    }
  }
  for await (const { name } of readXmlElements(pieces('</r>'), limits)) if (name === 'a') break
  assert.equal(ended, 1)
  const stream = readXmlElements(pieces('<c/></s>'), limits)
  for (const name of ['a', 'b']) assert.equal((await stream.next()).value?.name, name)
  await assert.rejects(stream.next(), isRefusal('bodyMalformed', /unexpected close tag/))
  assert.deepEqual([await stream.next(), ended], [{ done: true, value: undefined }, 2])
})

test('7.7 a date and time has six digits of microseconds', () => {
  const second = new Date(2026, 10, 21, 10, 11, 12).getTime()
  for (const [microseconds, digits] of [
    [0, '000000'],
    [1, '000001'],
    [999, '000999'],
    [1000, '001000'],
    [120_034, '120034'],
    [999_999, '999999'],
    [999_999.6, '999999'],
  ] as const)
    assert.equal(formatDateTime(second + microseconds / 1000), `2026-11-21-10.11.12.${digits}`)
})

test('5.11 XML text has a text, children and attributes, and is not trimmed', async () => {
  const { root } = await read(
    '<r a="1" b="&quot;&#10;"> x<k>1</k><!-- no --><K> 2 </K><![CDATA[<y>]]>&amp;&#x41;<k/></r>',
  )
  assert.equal(root.text, ' x1 2 <y>&A')
  assert.equal(root.child('k')?.text, '1')
  assert.deepEqual(
    root.elements().map(({ name }) => name),
    ['k', 'K', 'k'],
  )
  assert.equal(root.elements('k').length, 2)
  assert.equal(root.child('none'), undefined)
  assert.deepEqual({ ...root.attributes }, { a: '1', b: '"\n' })
})

test("5.11 names of JavaScript's built-in members are ordinary names", async () => {
  const { root } = await read('<__proto__ __proto__="1" constructor="2"><toString/></__proto__>')
  assert.equal(root.name, '__proto__')
  assert.deepEqual(Object.entries(root.attributes), [
    ['__proto__', '1'],
    ['constructor', '2'],
  ])
  assert.equal(root.child('toString')?.name, 'toString')
})

test('5.11 text that XML cannot represent is refused when it is written', () => {
  const { root } = createXmlDoc('r')
  for (const text of ['\u0000', '\u0001', 'a\u000b', '\ufffe', '\uffff', '\ud800', '\udc00x']) {
    assert.equal(isXmlText(text), false)
    assert.throws(() => root.addElement('a', text), RangeError)
    assert.throws(() => root.addText(text), RangeError)
    assert.throws(() => root.setAttribute('a', text), RangeError)
  }
  for (const name of ['', '1', 'a b', '<', '-a', 'a\u0000', 'a>']) {
    assert.throws(() => createXmlDoc(name), RangeError)
    assert.throws(() => root.addElement(name), RangeError)
    assert.throws(() => root.setAttribute(name, ''), RangeError)
  }
  assert.equal(isXmlText('\t\n\r \u0085\u{10ffff}'), true)
  assert.equal(writeXml({ root }), '<?xml version="1.0"?><r/>')
})

const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth)

const refused: readonly { readonly title: string; readonly xml: string; readonly detail: RegExp }[] = [
  { title: '5.11 nothing', xml: '', detail: /root element/ },
  { title: '5.11 white space alone', xml: ' \n', detail: /root element/ },
  { title: '5.11 text alone', xml: 'hello', detail: /line 1, column 5: .*outside/ },
  { title: '5.11 an element that is not closed', xml: '<a><b></a>', detail: /line 1, column 10: unexpected close tag/ },
  { title: '5.11 a truncated body', xml: '<a>\n<b>', detail: /line 2, column 3: unclosed tag: b/ },
  { title: '5.11 a second root', xml: '<a/><b/>', detail: /one root/ },
  { title: '5.11 text after the root', xml: '<a/>x', detail: /outside/ },
  { title: '5.11 a duplicate attribute', xml: '<a b="1" b="2"/>', detail: /duplicate attribute: b/ },
  { title: '5.11 an attribute without quotes', xml: '<a b=1/>', detail: /unquoted/ },
  { title: '5.11 an attribute without value', xml: '<a b/>', detail: /refused at line 1/ },
  { title: '5.11 a bare ampersand', xml: '<a>b & c</a>', detail: /refused at line 1/ },
  { title: '5.11 a bare < in an attribute', xml: '<a b="<"/>', detail: /disallowed/ },
  { title: '5.11 an unknown entity', xml: '<a>&nbsp;</a>', detail: /undefined entity/ },
  { title: '5.11 an entity named like a JavaScript member', xml: '<a>&constructor;</a>', detail: /undefined entity/ },
  { title: '5.11 a character reference to nothing', xml: '<a>&#0;</a>', detail: /malformed/ },
  { title: '5.11 a character reference to a control character', xml: '<a>&#x1;</a>', detail: /malformed/ },
  { title: '5.11 a control character of XML 1.1', xml: '<?xml version="1.1"?><a>&#x1;</a>', detail: /malformed/ },
  { title: '5.11 a control character', xml: '<a>\u0001</a>', detail: /disallowed/ },
  { title: '5.11 ]]> in text', xml: '<a>]]></a>', detail: /\]\]>/ },
  { title: '5.11 -- in a comment', xml: '<a><!-- -- --></a>', detail: /comment/ },
  { title: '5.11 a declaration that is not at the start', xml: ' <?xml version="1.0"?><a/>', detail: /declaration/ },
  { title: '5.11 a DOCTYPE', xml: '<!DOCTYPE a><a/>', detail: /DOCTYPE is not allowed/ },
  {
    title: '5.11 a DOCTYPE with entities',
    xml: '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>',
    detail: /DOCTYPE is not allowed/,
  },
  {
    title: '5.11 a DOCTYPE with an external entity',
    xml: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
    detail: /DOCTYPE is not allowed/,
  },
  { title: '5.11 elements nested 257 deep', xml: nested(257), detail: /column 771: .*more than 256 deep/ },
  { title: '5.11 100,000 nested elements', xml: nested(100_000), detail: /more than 256 deep/ },
  {
    title: '5.11 more attributes than the limit',
    xml: `<a ${Array.from({ length: 257 }, (_, i) => `b${i}=""`).join(' ')}/>`,
    detail: /more than 256 attributes/,
  },
  { title: '5.11 a text beyond the limit', xml: `<a>${'x'.repeat(1_000_001)}</a>`, detail: /longer than 1000000/ },
  { title: '5.11 a value beyond the limit', xml: `<a b="${'x'.repeat(1_000_001)}"/>`, detail: /longer than 1000000/ },
  { title: '5.11 an endless text', xml: `<a>${'x'.repeat(3_000_000)}`, detail: /longer than 1000000/ },
  { title: '5.11 an endless name', xml: `<${'x'.repeat(3_000_000)}`, detail: /longer than 1000000/ },
]

for (const { title, xml, detail } of refused) {
  test(`${title} is refused, as a document and as a stream`, async () => {
    await assert.rejects(read(xml), isRefusal('bodyMalformed', detail))
    await assert.rejects(count(xml), isRefusal('bodyMalformed', detail))
  })
}

test('5.11 depth, attributes and text up to their limits are read', async () => {
  const attributes = Array.from({ length: 256 }, (_, index) => `b${index}="${index}"`).join(' ')
  await read(nested(256))
  await read(`<a ${attributes}>${'x'.repeat(1_000_000)}</a>`)
  await read(`<a>${`<b ${attributes}/>`.repeat(3)}</a>`)
})

test('5.11, 7.8 a tree that is larger than the budget is refused, and can be read as a stream', async () => {
  const budget = new MemoryBudget(1024 ** 2)
  const xml = `<a>text${'<b/>'.repeat(20_000)}</a>`
  const pieces = () => decodeBody(inPieces(Buffer.from(xml), 1000), undefined)
  const account = budget.open()
  const tree = readXmlDocument(pieces(), limits, () => account)
  await assert.rejects(tree, isRefusal('bodyTooLarge', /needs more memory/))
  account.close()
  let count = 0
  for await (const { name } of readXmlElements(pieces(), limits, 'a', () => budget.open())) if (name === 'b') count += 1
  assert.deepEqual([count, budget.reserved], [20_000, 0])
})

test('5.11 a root other than the expected is refused, and its name is cut', async () => {
  await assert.rejects(count('<other/>', 'request'), isRefusal('bodyMalformed', /is not request: other\.$/))
  const long = 'x'.repeat(1000)
  await assert.rejects(count(`<${long}/>`, 'request'), isRefusal('bodyMalformed', /: x{64}…\.$/))
  assert.equal(await count('<request> <row/> text <row><row/></row></request>', 'request'), 2)
})

const text = '<a>é€😀</a>'
const be = (value: string) => Buffer.from(value, 'utf16le').swap16()
const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>é</a>`

const decoded: readonly {
  readonly title: string
  readonly bytes: Buffer
  readonly contentType?: string
  readonly text?: string
}[] = [
  { title: '5.12 UTF-8 by default', bytes: Buffer.from(text) },
  { title: '5.12 UTF-8 with a byte order mark', bytes: Buffer.from(`\ufeff${text}`) },
  { title: '5.12 UTF-16LE by its mark', bytes: Buffer.from(`\ufeff${text}`, 'utf16le') },
  { title: '5.12 UTF-16BE by its mark', bytes: be(`\ufeff${text}`) },
  {
    title: '5.12 UTF-16 by its mark despite a charset',
    bytes: be(`\ufeff${text}`),
    contentType: 'text/xml; charset=utf-8',
  },
  { title: '5.12 UTF-16 by charset and mark', bytes: be(`\ufeff${text}`), contentType: 'text/xml; charset=UTF-16' },
  {
    title: '5.12 UTF-16LE by charset',
    bytes: Buffer.from(text, 'utf16le'),
    contentType: 'text/xml;charset="utf-16le"',
  },
  { title: '5.12 UTF-16BE by charset', bytes: be(text), contentType: 'text/xml; a="; charset=x"; Charset=UTF-16BE' },
  { title: '5.12 UTF-16 by its first characters', bytes: Buffer.from(text, 'utf16le') },
  { title: '5.12 UTF-16BE by its first characters', bytes: be(text) },
  {
    title: '5.12 ISO-8859-1 by charset',
    bytes: Buffer.from('<a>é\u0085</a>', 'latin1'),
    contentType: 'text/xml; charset=ISO-8859-1',
    text: '<a>é\u0085</a>',
  },
  {
    title: '5.12 ISO-8859-1 by declaration',
    bytes: Buffer.from(declared('iso-8859-1'), 'latin1'),
    text: declared('iso-8859-1'),
  },
  {
    title: '5.12 a charset parameter despite a declaration',
    bytes: Buffer.from(declared('ISO-8859-1')),
    contentType: 'application/xml; charset=UTF-8',
    text: declared('ISO-8859-1'),
  },
  {
    title: '5.12 US-ASCII',
    bytes: Buffer.from('<a>x</a>'),
    contentType: 'text/xml; charset=us-ascii',
    text: '<a>x</a>',
  },
  {
    title: '5.12 the parameter `encoding` is ignored',
    bytes: Buffer.from(text),
    contentType: 'text/xml; encoding="ISO-8859-1"',
  },
  { title: '5.12 nothing at all', bytes: Buffer.alloc(0), text: '' },
]

for (const { title, bytes, contentType, text: expected = text } of decoded) {
  test(`${title} is read, however the bytes arrive`, async () => {
    for (const size of [1, 2, 3, 7, 5000]) {
      assert.equal(await decode(bytes, size, contentType), expected)
    }
  })
}

const undecodable: readonly {
  readonly title: string
  readonly bytes: Buffer
  readonly contentType?: string
  readonly code: string
}[] = [
  { title: '5.12 invalid UTF-8', bytes: Buffer.from([0x3c, 0x61, 0xff, 0x3e]), code: 'bodyMalformed' },
  { title: '5.12 truncated UTF-8', bytes: Buffer.from('<a>é').subarray(0, 4), code: 'bodyMalformed' },
  {
    title: '5.12 a long truncated body',
    bytes: Buffer.from(`${'x'.repeat(2000)}é`).subarray(0, -1),
    code: 'bodyMalformed',
  },
  { title: '5.12 overlong UTF-8', bytes: Buffer.from([0x3c, 0xc0, 0xaf]), code: 'bodyMalformed' },
  { title: '5.12 a surrogate in UTF-8', bytes: Buffer.from([0x3c, 0xed, 0xa0, 0x80]), code: 'bodyMalformed' },
  { title: '5.12 a lone surrogate in UTF-16', bytes: Buffer.from('\ufeff<\ud800>', 'utf16le'), code: 'bodyMalformed' },
  { title: '5.12 half a character of UTF-16', bytes: Buffer.from([0xff, 0xfe, 0x3c]), code: 'bodyMalformed' },
  {
    title: '5.12 a byte above 127 in US-ASCII',
    bytes: Buffer.from('<a>é</a>'),
    contentType: 'text/xml; charset=US-ASCII',
    code: 'bodyMalformed',
  },
  { title: '5.12 UTF-16 in the declaration only', bytes: Buffer.from(declared('UTF-16')), code: 'bodyMalformed' },
  {
    title: '4.10 an unknown charset',
    bytes: Buffer.from(text),
    contentType: 'text/xml; charset=windows-1252',
    code: 'contentUnsupported',
  },
  { title: '4.10 an unknown declared encoding', bytes: Buffer.from(declared('EBCDIC')), code: 'contentUnsupported' },
  {
    title: '4.10 a charset named like a JavaScript member',
    bytes: Buffer.from(text),
    contentType: 'text/xml; charset=__proto__',
    code: 'contentUnsupported',
  },
]

for (const { title, bytes, contentType, code } of undecodable) {
  test(`${title} is refused with ${code}`, async () => {
    for (const size of [1, 5000]) {
      await assert.rejects(decode(bytes, size, contentType), isRefusal(code, /./))
    }
  })
}

test('5.12 a character split between two pieces is read, wherever they split', async () => {
  const value = 'aé€😀'.repeat(20_000)
  assert.equal(await decode(Buffer.from(value), 65_537), value)
})

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function decode(bytes: Buffer, size: number, contentType?: string): Promise<string> {
  let content = ''
  for await (const piece of decodeBody(inPieces(bytes, size), contentType)) content += piece
  return content
}

/** In pieces of 64 KiB, as a long body arrives. */
function read(xml: string): Promise<XmlDocument> {
  return readXmlDocument(decodeBody(inPieces(Buffer.from(xml), 65_536), undefined), limits)
}

async function count(xml: string, rootName?: string): Promise<number> {
  let elements = 0
  const pieces = decodeBody(inPieces(Buffer.from(xml), 65_536), undefined)
  for await (const _ of readXmlElements(pieces, limits, rootName)) elements += 1
  return elements
}

function isRefusal(code: string, detail: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Refusal, String(error))
    assert.equal(error.code, code)
    assert.match(error.detail ?? '', detail)
    assert.ok((error.detail ?? '').length < 200)
    return true
  }
}

function shape({ name, attributes, nodes }: XmlElement): unknown {
  return [name, Object.entries(attributes), nodes.map((node) => (typeof node === 'string' ? node : shape(node)))]
}

function elements(): fc.Arbitrary<XmlElement> {
  const name = fc.constantFrom('a', 'row', 'x:y', 'é', '_1', 'constructor', 'A-b.c')
  const value = fc.string({ unit: anyCharacter }).filter(isXmlText)
  const special = fc.constantFrom('\r\n', '\t', ' ', ']]>', '&amp;', '"', "'", '<', '')
  const text = fc.oneof(value, special)
  const { tree } = fc.letrec<{ tree: (parent: XmlElement) => XmlElement }>((tie) => ({
    tree: fc
      .tuple(
        name,
        fc.array(fc.tuple(name, text), { maxLength: 3 }),
        fc.array(fc.oneof({ depthSize: 'small' }, text, tie('tree')), { maxLength: 4 }),
      )
      .map(([own, attributes, nodes]) => (parent: XmlElement) => {
        const element = parent.addElement(own)
        for (const [key, content] of attributes) element.setAttribute(key, content)
        for (const node of nodes) typeof node === 'string' ? element.addText(node) : node(element)
        return element
      }),
  }))
  return tree.map((build) => build(createXmlDoc('root').root))
}

const soap = `<s11:Envelope xmlns:s11="http://schemas.xmlsoap.org/soap/envelope/" xmlns="urn:other">
  <s11:Body><Hire xmlns="urn:hr" xmlns:x="urn:hr" id="1" x:id="2"><Name xml:lang="en">Ada</Name><x:Name>Bob</x:Name>
  <Name xmlns="">Eve</Name><gone:Name>Zoe</gone:Name></Hire></s11:Body><Body/></s11:Envelope>`
const namespaces = { s: 'http://schemas.xmlsoap.org/soap/envelope/', hr: 'urn:hr' }
const selections: Readonly<Record<string, readonly string[]>> = {
  's:Body/hr:Hire/hr:Name': ['Ada', 'Bob'],
  's:Body/hr:Hire/Name': ['Eve'],
  's:Body/*/*': ['Ada', 'Bob', 'Eve', 'Zoe'],
  's:Body/hr:Hire/@id': ['1'],
  's:Body/hr:Hire/@hr:id': ['2'],
  's:Body/hr:Hire/hr:Name/@xml:lang': ['en'],
  'hr:Body/hr:Hire': [],
  Body: [],
}

for (const [path, expected] of Object.entries(selections)) {
  test(`5.11 prefixes match by the URI that they are bound to: ${path}`, async () => {
    const { root } = await read(soap)
    const found: readonly (XmlElement | string)[] = root.select(path, namespaces)
    assert.deepEqual(
      found.map((one) => (typeof one === 'string' ? one : one.text)),
      expected,
    )
  })
}

test('5.11 a path may begin at any element, of a tree that was read, streamed or created', async () => {
  const { root } = await read(soap)
  const [body] = root.select('s:Body', namespaces)
  assert.equal(body?.select('hr:Hire/hr:Name', namespaces)[0]?.text, 'Ada')
  assert.equal(body?.select('Hire/Name', { '': 'urn:hr' })[1]?.text, 'Bob')
  for await (const element of readXmlElements(decodeBody(inPieces(Buffer.from(soap), 9), undefined), limits))
    assert.equal(element.select('hr:Hire', namespaces).length, element.name === 's11:Body' ? 1 : 0)
  const made = createXmlDoc('a')
  made.root.addElement('b').addElement('hr:c', 'made')
  made.root.setAttribute('xmlns:hr', 'urn:hr')
  assert.equal(made.root.select('b/x:c', { x: 'urn:hr' })[0]?.text, 'made')
})

for (const path of ['', '/', 'a//b', '@a/b', 'a/@', 'a[1]', '..', 'a:b:c', '@*', 'unknown:a'])
  test(`5.11 a path that select does not support is named: ${JSON.stringify(path)}`, async () => {
    const { root } = await read('<a/>')
    assert.throws(() => root.select(path, namespaces), {
      name: 'RangeError',
      message: /path that select knows|no prefix/,
    })
  })

test('5.3 what addCData writes is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.stringMatching(/^[\]>a&<\r\n]{0,8}$/), { maxLength: 4 }), async (texts) => {
      const document = createXmlDoc('r')
      for (const text of texts) document.root.addText('&').addCData(text).addText('\r')
      const { root } = await read(writeXml(document))
      assert.equal(root.text, document.root.text)
    }),
  )
  const { root } = createXmlDoc('r')
  root.addElement('k').addCData('a]]>b').addText('<').addCData('<')
  assert.equal(writeXml({ root }), '<?xml version="1.0"?><r><k><![CDATA[a]]]]><![CDATA[>b]]>&lt;<![CDATA[<]]></k></r>')
  assert.throws(() => root.addCData('\u0000'), RangeError)
})
