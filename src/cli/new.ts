/** `ig new`: a small project, ready to serve, check and test (specification 14.7). */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { quoteShell } from '../base/escape.ts'
import { packageFolder, runsSources } from '../base/package-files.ts'
import { type OwnPackage, writeProjectFiles } from '../project/new/project-files.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { alignColumns, print } from '../terminal/print.ts'

export function newProject(command: Command): void {
  command
    .description(
      'Creates a project folder with a configuration, one handler and its test, ready to serve, check and test. ' +
        'Fails if the folder is not empty.',
    )
    .argument('<folder>', 'folder of the new project')
    .option(
      '--gateway <file>',
      'packed gateway that the project depends on; by default this version from your registry or, in a checkout, ' +
        'the checkout itself, packed into the project',
    )
    .addHelpText(
      'after',
      '\nExamples:\n' +
        '  ig new my-gateway     in the checkout, or if your registry has the gateway\n' +
        '  ig new my-gateway --gateway integration-gateway-1.0.0.tgz',
    )
    .action(make)
}

function make(path: string, { gateway }: { readonly gateway?: string }): void {
  const folder = resolve(path)
  requireUsable(folder, path)
  const own = readPackage()
  using packed = gateway === undefined && runsSources ? packCheckout() : undefined
  const file = packed?.name ?? (gateway !== undefined && findPacked(gateway, folder))
  const dependency = file ? `file:${file}` : own.version
  try {
    for (const [name, text] of Object.entries(writeProjectFiles(nameOf(folder), own, dependency))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text, { flag: 'wx' })
    }
    if (packed) copyFileSync(packed.path, join(folder, packed.name))
  } catch (error) {
    throw new Failure(`${path} cannot be created: ${(error as Error).message}`)
  }
  print(`Created ${path}. Next:\n${alignColumns(nextSteps(folder, path)).join('\n')}`)
  print('Then edit and save handlers/hello.ts, and call again.')
  if (!file) print(`\n${byName(own.version)}`)
}

/** No registry may have what is in this checkout, so the project gets it as a file. */
function packCheckout() {
  print('Packing the checkout, which takes a minute the first time.')
  const folder = mkdtempSync(join(tmpdir(), 'ig-new-'))
  const root = fileURLToPath(packageFolder)
  const args = ['pack', '--silent', '--pack-destination', folder]
  const { status, stderr } = spawnSync('npm', args, {
    cwd: root,
    shell: process.platform === 'win32',
    encoding: 'utf8',
  })
  const [name = ''] = readdirSync(folder)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (status !== 0 || name === '') {
    remove()
    throw new Failure(`the checkout cannot be packed; "npm ci" there may help. npm pack reports:\n${stderr}`)
  }
  return { name, path: join(folder, name), [Symbol.dispose]: remove }
}

/** The registry may not have it, or may have another package of that name. */
function byName(version: string): string {
  const packed = `integration-gateway-${version}.tgz`
  return [
    `package.json asks the registry for integration-gateway ${version}. If yours does not have this gateway under that`,
    `name, run "npm pack" in the gateway's checkout, then npm install <checkout>/${packed} instead of npm install.`,
  ].join('\n')
}

function nextSteps(folder: string, path: string): readonly (readonly string[])[] {
  return [
    ...(folder === process.cwd() ? [] : [[`  cd ${quoteShell(path)}`]]),
    ['  npm install', 'the gateway and TypeScript'],
    ['  npm test', 'calls the operation in a test gateway'],
    ['  npm run dev', 'serves it and prints a curl command that calls it'],
  ]
}

function requireUsable(folder: string, path: string): void {
  if (path === '') throw new Failure('the folder name is empty. Name a folder that is empty or does not exist yet.')
  if (folder.split(sep).includes('node_modules'))
    throw new Failure(`${path} is in node_modules, where Node.js does not run TypeScript. Name a folder elsewhere.`)
  let names: readonly string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') throw new Failure(`${path} is a file. Name a folder that is empty or does not exist yet.`)
    if (code !== 'ENOENT') throw new Failure(`${path} cannot be created: ${message}`)
  }
  if (names.some((name) => name !== '.git')) {
    throw new Failure(`${path} is not empty. Name a folder that is empty or does not exist yet.`)
  }
}

/** @returns the entry for package.json, relative to the new folder */
function findPacked(file: string, folder: string): string {
  if (!existsSync(file)) throw new Failure(`${file} does not exist. Create it with "npm pack" in the checkout.`)
  return relative(folder, resolve(file)).split(sep).join('/')
}

/** The folder's name as an npm package name; the gateway's own name would be a dependency on itself. */
function nameOf(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 200)
    .replace(/^-+|-+$/g, '')
  return name === '' || name === 'integration-gateway' ? 'my-gateway' : name
}

function readPackage(): OwnPackage {
  return JSON.parse(readFileSync(new URL('package.json', packageFolder), 'utf8')) as OwnPackage
}
