/** The copy button of a transcript copies its commands, without prompts and output. */

interface Text {
  readonly type: 'text'
  value: string
}
interface Element {
  readonly type: 'element'
  readonly children: Node[]
  readonly properties: Record<string, unknown>
}
type Node = Text | Element

const prompt = '$ '
/** VitePress does not copy what has this class. */
const notCopied = 'vp-copy-ignore'

/** For Shiki. */
export const copyCommands = { name: 'copy-commands', code: markLines }

function markLines(this: { readonly options: { readonly lang: string } }, code: Element): void {
  if (this.options.lang !== 'console') return
  let continues = false
  for (const line of code.children) {
    if (line.type === 'text') continue // the end of a line
    const text = textOf(line)
    if (text.startsWith(prompt)) {
      removeStart(line, prompt.length)
      const properties = { class: `prompt ${notCopied}` }
      line.children.unshift({
        type: 'element',
        tagName: 'span',
        properties,
        children: [{ type: 'text', value: prompt }],
      } as Element)
    } else if (!continues) line.properties.class = `${line.properties.class ?? ''} ${notCopied}`
    continues = (text.startsWith(prompt) || continues) && text.endsWith('\\')
  }
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
