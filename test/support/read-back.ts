/** Readers that share no code with our writers: a properties file, TypeScript, JSON, XML, a shell, what a terminal obeys. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getProperties } from 'properties-file'
import { SaxesParser } from 'saxes'

/** The compiler's own parser; the compiler of this repository has none for programs. */
const ts = createRequire(join(import.meta.dirname, '../../tools/openapi-client/package.json'))('typescript')

export function readProperties(text: string): Readonly<Record<string, string>> {
  return getProperties(text)
}

/** Each statement of a module by what it exports; @throws where there is more than imports and literals */
export function readModule(source: string): Readonly<Record<string, unknown>> {
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true)
  if (file.parseDiagnostics.length > 0) throw new Error(`is no TypeScript: ${file.parseDiagnostics[0].messageText}`)
  const found: Record<string, unknown> = {}
  for (const statement of file.statements) {
    if (ts.isImportDeclaration(statement)) found[`import ${readLiteral(statement.moduleSpecifier)}`] = true
    else if (ts.isExportAssignment(statement)) found.default = readLiteral(statement.expression)
    else if (ts.isVariableStatement(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations)
        found[name.text] = readLiteral(initializer)
    } else throw new Error(`has a statement that is no literal: ${statement.getText().slice(0, 100)}`)
  }
  return found
}

// biome-ignore lint/suspicious/noExplicitAny: the compiler's types are of another version
function readLiteral(node: any): unknown {
  if (ts.isSatisfiesExpression(node)) return readLiteral(node.expression)
  if (ts.isStringLiteral(node)) return node.text
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (node.kind === ts.SyntaxKind.TrueKeyword) return true
  if (node.kind === ts.SyntaxKind.FalseKeyword) return false
  if (ts.isArrayLiteralExpression(node)) return node.elements.map(readLiteral)
  if (!ts.isObjectLiteralExpression(node)) throw new Error(`is no literal: ${node.getText().slice(0, 100)}`)
  const entries = node.properties.map(({ name, initializer }: { name: never; initializer: never }) => {
    return [readName(name), readLiteral(initializer)] as const
  })
  return Object.fromEntries(entries)
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function readName(name: any): string {
  if (ts.isComputedPropertyName(name)) return String(readLiteral(name.expression))
  if (name.text === '__proto__') throw new Error('sets a prototype')
  return name.text
}

/** Tags with the names of their attributes, and all text. @throws where it is ill-formed */
export function readMarkup(markup: string): { readonly tags: readonly string[]; readonly texts: readonly string[] } {
  const tags: string[] = []
  const texts: string[] = []
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    tags.push([name, ...Object.keys(attributes)].join(' '))
    texts.push(...Object.values(attributes).map(String))
  })
  for (const more of ['comment', 'cdata', 'doctype', 'processinginstruction'] as const)
    parser.on(more, () => void tags.push(more))
  parser.on('text', (text) => void texts.push(text))
  parser.write(markup).close()
  return { tags, texts }
}

/** What bash makes of words. */
export function readWords(words: readonly string[]): readonly string[] {
  const input = `printf '%s\\0' ${words.join(' ')}`
  const { stdout } = spawnSync('bash', [], { input, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 })
  return stdout.split('\0').slice(0, -1)
}

/** What a terminal would obey, or would not show. */
export function findOrder(text: string): string | undefined {
  const found = /(?![\t\n])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060\ufeff\ufff9-\ufffb]|\p{Surrogate}/u.exec(
    text,
  )
  return found ? JSON.stringify(text.slice(Math.max(0, found.index - 20), found.index + 20)) : undefined
}
