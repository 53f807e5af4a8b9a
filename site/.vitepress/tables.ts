/** Tables fit: long words may break, and cells have labels for narrow screens, where theme.css stacks the cells of a row. */
import type { MarkdownRenderer } from 'vitepress'

/** Each cell gets the text above its column. */
export function labelCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('label-cells', ({ tokens }) => {
    let labels: string[] = []
    let column = 0
    for (const [at, { type }] of tokens.entries()) {
      const cell = tokens[at + 1]
      if (type === 'thead_open') labels = []
      if (type === 'tr_open') column = 0
      if (type === 'th_open') labels.push(cell?.children?.map(({ content }) => content).join('') ?? '')
      if (type !== 'td_open') continue
      tokens[at]?.attrSet('data-label', labels[column++] ?? '')
      for (const child of cell?.children ?? []) child.meta = { ...child.meta, isInCell: true }
    }
  })
}

/** In a cell after punctuation and between words: a default of 300 characters would be wider than the page. */
export function breakLongWords({ renderer: { rules } }: MarkdownRenderer): void {
  for (const type of ['code_inline', 'text'] as const) {
    const render = rules[type]
    rules[type] = (tokens, at, ...rest) => {
      const html = render?.(tokens, at, ...rest) ?? ''
      return tokens[at]?.meta?.isInCell ? html.replace(/[^\s<>]{21,}/g, breakWord) : html
    }
  }
}

function breakWord(word: string): string {
  return word.replace(/[/:,.|}@=](?=\w)|[a-z](?=[A-Z])/g, '$&<wbr>')
}
