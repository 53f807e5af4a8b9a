/**
 * A log entry as HTML. A file is a head, written once, and entries after it: HTML lets `body` stay open, so that the
 * file is a page that a browser shows at any moment (specification 8.6).
 */
import type { LogLevel } from '../model/observation.ts'
import type { LogEntry, LogText } from './log-entry.ts'
import { escapeHtml } from './visible.ts'

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
<h1>${escapeHtml(title)}</h1>
`
}

export function writeHtmlEntry({ time, severity, message, facts, texts, messages }: LogEntry): string {
  const { method, url, status, ...others } = facts
  const at = new Date(time)
  const call = method === undefined ? '' : `<p class="call">${html(`${method} ${url}`)} <b>${html(status)}</b></p>`
  const isLine = method !== undefined && facts.refusal === undefined // the call says it all
  const said = isLine ? '' : `<p>${html(message)}</p>`
  const list = Object.entries(others).map(
    ([name, value]) => `<span>${labels[name] ?? html(name)} <b>${html(value)}</b></span>`,
  )
  return `<article class="${severity}">
<header><time datetime="${at.toISOString()}">${localTime(at)}</time> <strong>${severityNames[severity]}</strong> ${list.join(' ')}</header>
${call}${said}${[...texts, ...messages].map(writeText).join('')}
</article>
`
}

export function localTime(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  return `${date} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

function writeText({ title, text }: LogText): string {
  return `<details><summary>${html(title)}</summary><pre>${html(text)}</pre></details>`
}

function html(value: string | number | undefined): string {
  return escapeHtml(String(value ?? ''))
}

const labels: Readonly<Record<string, string>> = {
  durationMs: 'ms',
  transactionId: 'transaction',
  remoteAddress: 'from',
}

const severityNames: Readonly<Record<LogLevel, string>> = {
  exception: 'Fault',
  error: 'Error',
  warning: 'Warning',
  information: 'Information',
  debug: 'Debug',
}

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentcolor 15%,transparent);--tint:gray}
body{font:14px/1.45 system-ui,sans-serif;max-width:75rem;margin:1.5rem auto;padding:0 1rem}
h1{font-size:1.2rem;font-weight:600}
article{border-top:1px solid var(--line);border-left:3px solid var(--tint);padding:.5rem .75rem}
.exception,.error{--tint:#c62828}.warning{--tint:#b26a00}.information{--tint:#1565c0}
header{display:flex;flex-wrap:wrap;gap:0 1rem;font-size:.85em;opacity:.85}
header strong{color:var(--tint);min-width:5.5rem}header b,.call b{font-weight:600}
time,pre,.call{font-family:ui-monospace,monospace;font-variant-numeric:tabular-nums}
p{margin:.2rem 0;overflow-wrap:anywhere}.call{font-size:.93em}
summary{cursor:pointer;font-size:.85em;opacity:.85}
pre{margin:.3rem 0;padding:.5rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85em;background:color-mix(in srgb,currentcolor 6%,transparent)}
`
