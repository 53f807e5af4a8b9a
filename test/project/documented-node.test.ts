/** What Node does not document may change with any release: no source leans on it (decisions D-460). */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

const patterns: readonly { readonly title: string; readonly pattern: RegExp; readonly example: string }[] = [
  {
    title: 'a member that begins with _',
    pattern: /\._[a-z]|\breadonly _[a-z]|\{ _[a-z]\w*[,:]/,
    example: 'socket._handle?.readStop()',
  },
  {
    title: 'a search for the symbols of an object',
    pattern: /getOwnPropertySymbols|Symbol\(k[A-Z]/,
    example: 'Object.getOwnPropertySymbols(server)',
  },
  {
    title: 'a cast of a Node object',
    pattern: /\b(?:socket|server|request|response|process|child|stream|worker)\b(?:\.prototype)? as (?!const\b)/i,
    example: 'server as Server & { fd: number }',
  },
  {
    title: 'a method of Node that is called for another object, or replaced',
    pattern: /(?:Server|Socket|ServerResponse|IncomingMessage)\.prototype|destroySoon|httpAllowHalfOpen/,
    example: 'socket.destroySoon = () => {}',
  },
  {
    title: 'a member of Node that is assigned from outside',
    pattern: /Object\.assign\((?:socket|server|request|response)\b/,
    example: 'Object.assign(socket, { server: null })',
  },
  {
    title: 'an internal binding',
    pattern: /process\.binding|internalBinding|node:internal/,
    example: "process.binding('tcp_wrap')",
  },
]

const withoutComments = (source: string) => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '')

for (const { title, pattern, example } of patterns)
  test(`no source has ${title}`, () => {
    assert.match(example, pattern)
    const found = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
      pattern.test(withoutComments(readFileSync(join(root, file), 'utf8'))),
    )
    assert.deepEqual(found, [])
  })

test('the listening plane has no server of node:http', () => {
  const importers = globSync('src/http/*.ts', { cwd: root }).filter((file) =>
    /import (?!\{ STATUS_CODES \})[^\n]* from 'node:https?'/.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(importers, [])
})
