/** `ig new`: a small project that is served, checked and tested as it stands (specification 14.7). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { quote } from './curl-lines.ts'
import { Failure } from './explain-failure.ts'
import { type OwnPackage, writeProjectFiles } from './new/project-files.ts'
import { print } from './print.ts'

export function newProject(program: Command): void {
  program
    .command('new')
    .summary('make a project')
    .description(
      'Makes a folder with a configuration, one handler, its test, and all that they need to be served, checked and ' +
        'tested. A folder that holds something already is left alone.',
    )
    .argument('<folder>', 'folder of the new project')
    .addHelpText('after', '\nExample:\n  ig new my-gateway')
    .action(make)
}

function make(path: string): void {
  const folder = resolve(path)
  requireEmpty(folder, path)
  for (const [name, text] of Object.entries(writeProjectFiles(nameOf(folder), readOwnPackage()))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text, { flag: 'wx' })
  }
  const steps = [...(folder === process.cwd() ? [] : [`cd ${quote(path)}`]), 'npm install', 'npm run dev']
  print(`${path} is made. Next:\n${steps.map((step) => `  ${step}`).join('\n')}`)
}

function requireEmpty(folder: string, path: string): void {
  let names: readonly string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') throw new Failure(`${path} is a file. Name a folder that is empty, or does not exist yet.`)
    if (code !== 'ENOENT') throw error
  }
  if (names.some((name) => name !== '.git')) {
    throw new Failure(`${path} is not empty. Name a folder that is empty, or does not exist yet.`)
  }
}

/** The name of a folder as npm allows it for a package. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name || 'my-gateway'
}

function readOwnPackage(): OwnPackage {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as OwnPackage
}
