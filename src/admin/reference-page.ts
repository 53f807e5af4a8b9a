/** The OpenAPI of the administration API as a page that a person reads; no script, nothing from elsewhere (specification 18.14). */
import { escapeHtml } from '../base/escape.ts'
import type { OpenApi, OpenApiOperation } from './openapi.ts'

export function writeReference({ info, tags, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return `<section><h2 id="${idOf(name)}">${escapeHtml(name)}</h2>${own.map(writeEntry).join('')}</section>`
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary><code>${name}</code></summary>${writeJson(schema)}</details>`,
  )
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(info.title)}</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><h1>${escapeHtml(info.title)}</h1><p>${escapeHtml(info.description)} <a href="/openapi.json">OpenAPI</a></p></header>
<nav>${tags.map(({ name }) => `<a href="#${idOf(name)}">${escapeHtml(name)}</a>`).join(' ')} <a href="#schemas">Schemas</a></nav>
<main>
${sections.join('\n')}
<section><h2 id="schemas">Schemas</h2>${schemas.join('')}</section>
</main>
</body>
</html>
`
}

function writeEntry({
  path,
  method,
  operation,
}: {
  path: string
  method: string
  operation: OpenApiOperation
}): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const rows = parameters.map(({ name, in: place, required, schema, description: help }) => [
    `<code>${escapeHtml(String(name))}</code>${required ? '' : ' <small>optional</small>'}`,
    escapeHtml(String(place)),
    `<code>${escapeHtml(typeOf(schema))}</code>${help === undefined ? '' : ` ${escapeHtml(String(help))}`}`,
  ])
  const answers = Object.entries(responses).map(([status, response]) => [
    status,
    escapeHtml(String(response.description)),
    writeContent(response.content),
  ])
  return `<details id="${operationId}"><summary><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>
<p>${escapeHtml(description).replaceAll('\n\n', '</p><p>')}</p><p><small><code>${operationId}</code></small></p>
${writeTable('Parameters', rows)}${requestBody ? `<h3>Body</h3>${writeContent(requestBody.content)}` : ''}${writeTable('Answers', answers)}</details>`
}

function writeContent(content: unknown): string {
  return Object.values((content ?? {}) as Record<string, { schema: unknown; example?: unknown }>)
    .map(
      ({ schema, example }) =>
        `${writeJson(schema)}${example === undefined ? '' : `<h4>Example</h4>${writeJson(example)}`}`,
    )
    .join('')
}

/** A schema that has a name is a link to it. */
function writeJson(value: unknown): string {
  const { $ref } = (value ?? {}) as { $ref?: string }
  if ($ref !== undefined) return writeRef($ref)
  const text = escapeHtml(JSON.stringify(value, null, 2))
  return `<pre>${text.replace(/(?:&quot;|&#34;|")(#\/components\/schemas\/\w+)(?:&quot;|&#34;|")/g, (_, ref: string) => writeRef(ref))}</pre>`
}

function writeRef(ref: string): string {
  const name = ref.split('/').at(-1) ?? ''
  return `<a href="#schema-${name}">${name}</a>`
}

function writeTable(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<h3>${title}</h3><table>${lines.join('')}</table>`
}

function typeOf(schema: unknown): string {
  const { type, enum: values, default: fallback } = schema as { type?: string; enum?: unknown[]; default?: unknown }
  const shown = values ? values.join(' | ') : (type ?? 'any')
  return fallback === undefined ? shown : `${shown} = ${JSON.stringify(fallback)}`
}

function idOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`
}

export const style = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:70rem;padding:1rem}
nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
details{border-bottom:1px solid var(--line);padding:.4rem 0}summary{cursor:pointer}summary b{display:inline-block;width:4.5rem}
summary span{margin-left:1rem;opacity:.75}
code,pre{font-family:ui-monospace,monospace;font-size:13px}pre{background:var(--soft);padding:.6rem;overflow:auto;margin:.3rem 0}
table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top}h3,h4{margin:.8rem 0 .2rem;font-size:1em}
`
