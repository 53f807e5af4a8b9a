/**
 * Inline scripts and style attributes of the built pages as files, because the policy of the administration plane permits
 * neither (specification 39.1).
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const scripts = new Map<string, string>()
const styles = new Map<string, string>()

interface HighlightedElement {
  readonly properties: Record<string, unknown>
}

/** For Shiki, which gives each token of code its colours in a style attribute. */
export const stylesToClasses = { name: 'styles-to-classes', pre: styleToClass, span: styleToClass }

function styleToClass({ properties }: HighlightedElement): void {
  const { style, ...rest } = properties
  if (typeof style !== 'string') return
  const name = `code-${digest(style)}`
  styles.set(name, style)
  const classes = [rest.class ?? []].flat().join(' ')
  delete properties.style
  properties.class = `${classes} ${name}`.trim()
}

/** @param base of all URLs of the site */
export function linkFiles(html: string, base: string): string {
  return html
    .replace(/<script id="[\w-]+">([\s\S]*?)<\/script>/g, (_, code: string) => {
      const name = `before-paint.${digest(code)}.js`
      scripts.set(name, code)
      return `<script src="${base}assets/${name}"></script>`
    })
    .replace(/ style="(?:position:relative|--vp-vh:0px);"/g, '') // theme.css has the first; the script sets the second
    .replace('</head>', `<link rel="stylesheet" href="${base}assets/${writeStyles().name}"></head>`)
}

/** @param folder of the built site */
export function writeFiles(folder: string): void {
  const assets = join(folder, 'assets')
  mkdirSync(assets, { recursive: true })
  for (const [name, code] of scripts) writeFileSync(join(assets, name), code)
  const { name, rules } = writeStyles()
  writeFileSync(join(assets, name), rules)
}

function writeStyles() {
  const rules = [...styles].map(([name, style]) => `.${name}{${style}}\n`)
  const sorted = rules.sort().join('')
  return { name: `code.${digest(sorted)}.css`, rules: sorted }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
