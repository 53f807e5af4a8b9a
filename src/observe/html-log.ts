/**
 * A log entry as HTML. A file is a head, written once, and entries after it: HTML allows an open `body`, so browsers
 * can show the file at any moment (specification 8.6).
 */

import { escapeHtml } from '../base/escape.ts'
import type { LogLevel } from '../model/observation.ts'
import type { LogEntry, LogText } from './log-entry.ts'

export function writeHtmlHead(title: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<nav><h1>${escapeHtml(title)}</h1> <a href="#newest">Newest entry</a><a id="newest"></a></nav>
`
}

/** The call and its error are on one line of the file, for searches by transaction id. */
export function writeHtmlEntry({ time, severity, message, facts, texts, messages }: LogEntry): string {
  const { method, url, status, refusal, transactionId, ...others } = facts
  const at = new Date(time)
  const call = method === undefined ? '' : `<p class="call"><b>${html(status)}</b> ${html(`${method} ${url}`)}</p>`
  const isLine = method !== undefined && refusal === undefined // the call is enough
  const paragraph = isLine ? '' : `<p>${writeMessage(message)}</p>`
  const about = Object.entries({ refusal, ...others, transactionId }).flatMap(([name, value]) =>
    value === undefined ? [] : [`<span>${writeFact(name, html(value))}</span>`],
  )
  return `<article class="${severity}"><time datetime="${at.toISOString()}">${localTime(at)}</time> <strong>${severityNames[severity]}</strong> \
<div>${call}${paragraph}<p class="facts">${about.join(' ')}</p>${[...texts, ...messages].map(writeText).join('')}</div></article>
`
}

export function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

/** Highlights the text after `Cause:`. */
function writeMessage(message: string): string {
  return html(message).replace(/ Cause: (.+)$/, ' <span class="cause">Cause: <b>$1</b></span>')
}

function writeFact(name: string, value: string): string {
  return factForms[name]?.(value) ?? `${html(name)} <b>${value}</b>`
}

function writeText({ title, text }: LogText): string {
  return `<details><summary>${html(title)}</summary><pre>${html(text)}</pre></details>`
}

function html(value: string | number | undefined): string {
  return escapeHtml(String(value ?? ''))
}

const factForms: Readonly<Record<string, (value: string) => string>> = {
  refusal: (code) => `<b class="code">${code}</b>`,
  durationMs: (number) => `<b>${number}</b> ms`,
  transactionId: (id) => `transaction <b>${id}</b>`,
  remoteAddress: (address) => `from <b>${address}</b>`,
  cached: () => 'from the cache',
}

const severityNames: Readonly<Record<LogLevel, string>> = {
  exception: 'Fault',
  error: 'Error',
  warning: 'Warning',
  information: 'Information',
  debug: 'Debug',
}

const style = `
:root{color-scheme:light dark;--dim:#5a6068;--line:#d9dce0;--paper:#f4f5f7;--warning:#8a5300;--error:#b3261e}
@media(prefers-color-scheme:dark){:root{--dim:#a4abb3;--line:#3a3f45;--paper:#23272b;--warning:#f0b35a;--error:#ff8f85}}
body{position:relative;font:14px/1.45 system-ui,sans-serif;max-width:80rem;margin:0 auto;padding:1rem}
nav{display:flex;flex-wrap:wrap;align-items:baseline;gap:0 1.5rem;padding-bottom:.75rem}
h1{font-size:1.2rem;font-weight:600;margin:0}
#newest{position:absolute;bottom:0}
article{display:grid;grid-template-columns:11.5rem 5.5rem minmax(0,1fr);column-gap:1rem;border-top:1px solid var(--line);border-left:4px solid transparent;padding:.45rem 0 .45rem .6rem}
time,.call,pre{font-family:ui-monospace,monospace;font-size:13px;font-variant-numeric:tabular-nums}
time,.information strong,.debug strong,.facts,summary{color:var(--dim)}
strong{font-weight:400}
.warning{border-left-color:var(--warning)}.error,.exception{border-left-color:var(--error)}
.warning strong,.warning .code{font-weight:600;color:var(--warning)}
.error strong,.error .code,.exception strong,.exception .code{font-weight:600;color:var(--error)}
p{margin:0;overflow-wrap:anywhere}.cause{display:block}
.facts{display:flex;flex-wrap:wrap;gap:0 1.1rem;font-size:12px;margin-top:.1rem}.facts b{font-weight:400;color:canvastext}
details{display:inline-block;vertical-align:top;margin-right:1.25rem;font-size:12px}details[open]{display:block;margin:0}
summary{cursor:pointer;width:max-content}
pre{margin:.3rem 0 .6rem;padding:.6rem;max-height:70vh;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--paper)}
@media(max-width:60rem){article{grid-template-columns:max-content 1fr}article div{grid-column:1/-1}}
`
