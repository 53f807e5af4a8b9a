/** Transcripts of documents: their `console` blocks, run by a shell in a project folder. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterwards } from './afterwards.ts'
import { igCommand } from './installed.ts'
import { runVerb } from './run-verb.ts'
import { withTestKey } from './secret-key.ts'

export interface Command {
  readonly line: string
  /** What the document shows below the line; `(exit code 1)` is its last line where that is not 0. */
  readonly expected: string
}

/** In the order of the document. A line that ends in a backslash continues on the next. */
export function readTranscript(markdown: string): readonly Command[] {
  return [...markdown.matchAll(/^```console(?: \[.*\])?\n([\s\S]*?)^```$/gm)]
    .flatMap(([, block = '']) => block.split(/^\$ /m).slice(1))
    .map((command) => {
      const [, line = '', expected = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(command) ?? []
      return { line, expected: expected.trimEnd() }
    })
}

/** Runs the TypeScript of a page that is in a tab beside curl. @returns what it prints */
export async function runProgram(markdown: string, origin: string): Promise<string> {
  const [, program = ''] = /^```ts \[TypeScript\]\n([\s\S]*?)^```$/m.exec(markdown) ?? []
  const source = program.replace('http://127.0.0.1:8080', origin)
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '--eval', source])
  return stdout
}

export interface Shell {
  /** Runs a line to its end, and tells what both outputs got, as the document would show it. */
  run(line: string): Promise<string>
}

/** A shell in a folder, which finds `ig` as a user's shell would. */
export function openShell(folder: string, env: Readonly<Record<string, string>> = {}): Shell {
  const bin = mkdtempSync(join(tmpdir(), 'ig-bin-'))
  afterwards(() => rmSync(bin, { recursive: true, force: true }))
  const script = `exec '${process.execPath}' ${igCommand.map((part) => `'${part}'`).join(' ')} "$@"`
  writeFileSync(join(bin, 'ig'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'ig'), 0o755)
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(IG_|NODE_|npm_)/.test(name)))
  const environment = { ...clean, ...withTestKey(env), NO_COLOR: '1', PATH: `${bin}:${process.env.PATH}` }
  return {
    async run(line) {
      const args = readSimpleLine(line)
      if (args) {
        const { code, stdout } = await runVerb(args, { cwd: folder, env: environment, input: '', isMerged: true })
        return show(stdout, code)
      }
      const child = spawn('sh', ['-c', `{ ${line}\n} 2>&1`], {
        cwd: folder,
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
      return show(await text(child.stdout), await ended)
    },
  }
}

function show(text: string, code: number | null): string {
  const output = text.trimEnd()
  return code === 0 ? output : `${output}\n(exit code ${code})`.trimStart()
}

/** Arguments of `ig` where a shell would change nothing but quotes: run in this process, which spares a start. */
function readSimpleLine(line: string): readonly string[] | undefined {
  if (!/^ig (?!dev|start)(?:[\w./:=?@,+-]|'[^']*'|"[^"$`\\]*"| )+$/.test(line)) return undefined
  return [...line.slice(3).matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/['"]/g, ''))
}

/** Without what differs from one run to the next: ids, times, durations, random values. */
export function mask(text: string): string {
  return text
    .replace(/JSESSIONID=[\w-]+/g, 'JSESSIONID=*')
    .replace(/ecid: [\da-f]{32}/g, 'ecid: *')
    .replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, '<id>')
    .replace(/ *[\d.]+ ms/g, ' * ms')
    .replace(/\d{4}-\d\d-\d\d[T ][\d:.]+Z/g, '<time>')
    .replace(/^Date: .*$/gim, 'Date: *')
    .replaceAll('\r', '')
}
