/** The copy button of a transcript copies its commands, without prompts, output and a final line break. */

interface Text {
  readonly type: 'text'
  value: string
}
interface Element {
  readonly type: 'element'
  readonly tagName: 'span'
  readonly children: Node[]
  readonly properties: Record<string, unknown>
}
type Node = Text | Element

const prompt = '$ '

/** For Shiki. */
export const copyCommands = { name: 'copy-commands', code: markLines }

function markLines(this: { readonly options: { readonly lang: string } }, code: Element): void {
  if (this.options.lang !== 'console') return
  const isCommand = (line?: Node) => line !== undefined && textOf(line).startsWith(prompt)
  let hasCommand = false
  let continues = false // the command, in the next line
  for (const [at, line] of code.children.entries()) {
    if (line.type === 'text') {
      // The end of a line, copied between two lines of commands
      if (!hasCommand || !(continues || isCommand(code.children[at + 1]))) code.children[at] = notCopied([line])
      continue
    }
    const text = textOf(line)
    const starts = isCommand(line)
    if (starts) {
      removeStart(line, prompt.length)
      line.children.unshift(notCopied([{ type: 'text', value: prompt }], 'prompt'))
    } else if (!continues) code.children[at] = notCopied([line])
    continues = (starts || continues) && text.endsWith('\\')
    hasCommand ||= starts
  }
}

/** VitePress does not copy what has this class. */
function notCopied(children: Node[], name = ''): Element {
  return { type: 'element', tagName: 'span', properties: { class: `${name} vp-copy-ignore`.trim() }, children }
}

function textOf(node: Node): string {
  return node.type === 'text' ? node.value : node.children.map(textOf).join('')
}

/** @returns how many characters of `count` are still to be removed */
function removeStart(node: Node, count: number): number {
  if (node.type !== 'text') return node.children.reduce((left, child) => removeStart(child, left), count)
  const removed = Math.min(count, node.value.length)
  node.value = node.value.slice(removed)
  return count - removed
}
