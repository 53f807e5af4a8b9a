/**
 * The reference of the SDK (docs/reference/sdk.md): what handlers and tests import, with its docstrings. The comments
 * between the exports of src/sdk.ts and src/testing.ts are its headings.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ClassDeclaration,
  type InterfaceDeclaration,
  isClassDeclaration,
  isConstructorDeclaration,
  isExportDeclaration,
  isExportSpecifier,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isTypeQueryNode,
  isTypeReferenceNode,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { API, type Project, SymbolFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync'

export interface SdkExport extends SdkMember {
  readonly group: string
  /** It is declared by a dependency, which documents it. */
  readonly isForeign: boolean
  readonly members: readonly SdkMember[]
}

interface SdkMember extends Docstring {
  readonly name: string
  /** Several for an overloaded method. */
  readonly signatures: readonly string[]
  /** Types of the gateway that the signatures name, and that no section explains. */
  readonly unexplained: readonly string[]
}

interface Docstring {
  readonly text: string
  /** Such as `@param`, in their order. */
  readonly tags: readonly { readonly tag: string; readonly text: string }[]
}

/** With `/`, as the compiler names files on every system. */
const root = join(import.meta.dirname, '../..').replaceAll('\\', '/')
const modules = [`${root}/src/sdk.ts`, `${root}/src/testing.ts`]

export function writeSdk(sdk = readSdk()): string {
  const names = new Set(sdk.map(({ name }) => name))
  return [...Map.groupBy(sdk, ({ group }) => group)]
    .flatMap(([group, exports]) => {
      const foreign = exports.filter(({ isForeign }) => isForeign).map(({ name }) => `\`${name}\``)
      const note = foreign.length === 0 ? [] : [`From [Kysely](https://kysely.dev): ${foreign.join(', ')}.`]
      const sections = exports.filter(({ isForeign }) => !isForeign).map((each) => writeSection(each, names))
      return [`## ${group}`, ...note, ...sections]
    })
    .join('\n\n')
}

function writeSection({ members, ...section }: SdkExport, names: ReadonlySet<string>): string {
  const rows = members.map(({ signatures, ...docstring }) => {
    const codes = signatures.map((each) => (each.includes('`') ? `\`\` ${each} \`\`` : `\`${each}\``))
    return writeItem(`${codes.join(', ')}: ${writeDocstring(docstring, names)}`)
  })
  const declaration = `\`\`\`ts\n${section.signatures.map(breakLine).join('\n')}\n\`\`\``
  const parts = [`### ${section.name}`, declaration, writeDocstring(section, names), rows.join('\n')]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** A long declaration: before `extends`, else a line for each parameter. */
function breakLine(declaration: string): string {
  if (declaration.length <= 88 || declaration.includes('\n')) return declaration
  if (declaration.includes('> extends ')) return declaration.replace('> extends ', '>\n  extends ')
  const [, head, parameters = '', tail] =
    /^([^(]*\()(.*)(\).*)$/.exec(declaration) ?? /^([^<]*<)(.*)(>)$/.exec(declaration) ?? []
  return `${head}\n  ${parameters.replaceAll(', ', ',\n  ')},\n${tail}`
}

function writeDocstring({ text, tags }: Docstring, names: ReadonlySet<string>): string {
  const rows = tags.flatMap(({ tag, text: words }) => {
    if (tag === 'param') return writeItem(words.replace(/^\w+/, '`$&`:'))
    if (tag === 'throws') return writeItem(`Throws ${words.replace(/^[A-Z]\w+/, '`$&`')}`)
    return tag === 'example' ? [] : writeItem(`Returns ${words}`)
  })
  const examples = tags.filter(({ tag }) => tag === 'example').map((example) => example.text)
  return [...[text, rows.join('\n')].map((prose) => addLinks(prose, names)), ...examples]
    .filter((part) => part !== '')
    .join('\n\n')
}

function writeItem(text: string): string {
  return `- ${text.replace(/\n(?!\n)/g, '\n  ')}`
}

/** A name in code leads to its section, the path of a page to the page. */
function addLinks(prose: string, names: ReadonlySet<string>): string {
  return prose
    .replace(/`(\w+)`/g, (code, name: string) => (names.has(name) ? `[${code}](#${name.toLowerCase()})` : code))
    .replace(/\bdocs\/reference\/([\w-]+\.md)/g, (path, file: string) => {
      const [, title] = /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
      return `[${title}](${file})`
    })
}

export function readSdk(): readonly SdkExport[] {
  const api = new API({ cwd: root })
  try {
    const [project] = api.updateSnapshot({ openProject: `${root}/tsconfig.build.json` }).getProjects()
    if (!project) throw new Error('tsconfig.build.json is not a project')
    return readExports(project)
  } finally {
    api.close()
  }
}

function readExports({ checker, program }: Project): readonly SdkExport[] {
  const exports = modules.flatMap((file) => {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    return module ? checker.getExportsOfModule(module).map((named) => ({ named, symbol: resolve(named) })) : []
  })
  const exported = new Set(exports.map(({ symbol }) => symbol.id))
  const names = new Set(exports.map(({ named }) => named.name))
  return exports.map(({ named, symbol }) => {
    const { name } = named
    const [specifier] = declarationsOf(named).filter(isExportSpecifier)
    const [node] = declarationsOf(symbol)
    if (!specifier || !node) throw new Error(`${name} is not declared`)
    const group =
      textOf(specifier, 0, specifier.getStart())
        .match(/(?<=^\/\/ ).+$/gm)
        ?.at(-1) ?? ''
    const isForeign = !isOfSource(node)
    if (isForeign) return { group, name, isForeign, signatures: [], unexplained: [], text: '', tags: [], members: [] }
    const statement = specifier.parent.parent
    const isType = specifier.isTypeOnly || (isExportDeclaration(statement) && statement.isTypeOnly)
    const members = [...(isType ? [] : readConstructors(node, name)), ...readProperties(symbol)]
    return { group, name, isForeign, ...readDeclaration(node, name), ...readDocstring(node), members }
  })

  function resolve(symbol: TypeSymbol): TypeSymbol {
    return symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  /** Those of an exported base are in its section. */
  function readProperties(symbol: TypeSymbol): readonly SdkMember[] {
    const type = checker.getDeclaredTypeOfSymbol(symbol)
    if (!type.isClassOrInterface()) return []
    return checker.getPropertiesOfType(type).flatMap((property) => {
      const owner = property.getParent()
      const isOfOther = owner !== undefined && owner.id !== symbol.id && exported.has(owner.id)
      const nodes = declarationsOf(property).filter((each) => isOfSource(each) && !/^override /.test(each.getText()))
      const [first] = nodes
      if (!first || isOfOther || property.name.startsWith('__')) return [] // Symbol.asyncDispose, and private members
      const unexplained = nodes.flatMap(listUnexplained)
      return { name: property.name, signatures: nodes.map(writeSignature), unexplained, ...readDocstring(first) }
    })
  }

  function readConstructors(node: Node, name: string): readonly SdkMember[] {
    if (!isClassDeclaration(node)) return []
    const own = node.members.filter(isConstructorDeclaration)
    if (own.length === 0) return listBases(node).flatMap((base) => (base.node ? readConstructors(base.node, name) : []))
    return own.map((each) => {
      const signature = writeSignature(each).replace('constructor', `new ${name}`)
      return { name, signatures: [signature], unexplained: listUnexplained(each), ...readDocstring(each) }
    })
  }

  function readDeclaration(node: Node, name: string): Pick<SdkMember, 'signatures' | 'unexplained'> {
    const isAlias = isTypeAliasDeclaration(node)
    const unexplained = listUnexplained(node)
    if (!isClassDeclaration(node) && !isInterfaceDeclaration(node) && !(isAlias && unexplained.length > 0))
      return { signatures: [withoutBody(node).replace(/^export (?:async )?(?:function )?/, '')], unexplained }
    const [kind = ''] = /(?:abstract )?(?:class|interface|type)/.exec(node.getText()) ?? []
    const parameters = (node.typeParameters ?? []).map((each) => each.getText()).join(', ')
    const head = `${kind} ${name}${parameters && `<${parameters}>`}`
    return {
      signatures: [[head, ...(isAlias ? [] : writeHeritage(node))].join(' ')],
      unexplained: (node.typeParameters ?? []).flatMap(listUnexplained),
    }
  }

  /** Without those in what a signature leaves out: bodies and initial values. */
  function listUnexplained(node: Node): readonly string[] {
    const { body, initializer } = node as { readonly body?: Node; readonly initializer?: Node }
    const found: string[] = []
    node.forEachChild((child) => {
      if (child !== body && child !== initializer) found.push(...listUnexplained(child))
    })
    const type = isTypeReferenceNode(node) ? node.typeName : isTypeQueryNode(node) ? node.exprName : undefined
    const symbol = type && checker.getSymbolAtLocation(type)
    if (!symbol || names.has(type.getText())) return found
    const declared = resolve(symbol)
    const isOurs = !(declared.flags & SymbolFlags.TypeParameter) && declarationsOf(declared).some(isOfSource)
    return isOurs ? [...found, type.getText()] : found
  }

  function writeHeritage(node: ClassDeclaration | InterfaceDeclaration): readonly string[] {
    return listBases(node).flatMap(({ node: base, text }) => {
      if (!base) return text
      return isTypeAliasDeclaration(base) ? [] : writeHeritage(base)
    })
  }

  /** With their declarations, if the SDK does not export them: then their members and bases count as those of the node. */
  function listBases(node: ClassDeclaration | InterfaceDeclaration) {
    return (node.heritageClauses ?? []).flatMap(({ token, types }) =>
      types.map((type) => {
        const named = checker.getSymbolAtLocation(type.expression)
        const symbol = named && resolve(named)
        const [base] = symbol && !exported.has(symbol.id) ? declarationsOf(symbol) : []
        const isInternal =
          base &&
          isOfSource(base) &&
          (isClassDeclaration(base) || isInterfaceDeclaration(base) || isTypeAliasDeclaration(base))
        const text = `${token === SyntaxKind.ExtendsKeyword ? 'extends' : 'implements'} ${type.getText()}`
        return { text, node: isInternal ? base : undefined }
      }),
    )
  }
}

function declarationsOf(symbol: TypeSymbol): readonly Node[] {
  return symbol.declarations.flatMap((handle) => handle.resolve() ?? [])
}

function isOfSource(node: Node): boolean {
  return node.getSourceFile().fileName.startsWith(`${root}/src/`)
}

function textOf(node: Node, from: number, to: number): string {
  return node.getSourceFile().text.slice(from, to)
}

/** A member in one line. */
function writeSignature(node: Node): string {
  return withoutBody(node)
    .replace(/^(?:(?:abstract|async|get) )+/, '')
    .replace(/\s+/g, ' ')
    .replace(/([(<]) /g, '$1')
    .replace(/, ?([)>])/g, '$1')
}

/** Without the value of a property, too. */
function withoutBody(node: Node): string {
  const { body, initializer } = node as { readonly body?: Node; readonly initializer?: Node }
  const text = textOf(node, node.getStart(), (body ?? initializer)?.getStart() ?? node.end).trim()
  return initializer ? text.replace(/ =$/, '') : text
}

/** The comment right before a declaration. */
function readDocstring(node: Node): Docstring {
  const [, comment = ''] = /.*\/\*\*(.*?)\*\/(?!\s*\n\s*\n)/s.exec(textOf(node, node.pos, node.getStart())) ?? []
  const [text = '', ...tags] = comment.replace(/^ *\* ?/gm, '').split(/(?:^|\s)@(?=(?:param|returns|throws|example)\s)/)
  return {
    text: text.trim(),
    tags: tags.map((each) => {
      const [, tag = '', words = ''] = /^(\w+)\s+(.*)$/s.exec(each) ?? []
      return { tag, text: words.trim() }
    }),
  }
}
