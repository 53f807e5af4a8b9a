/**
 * `ig check --types`: whether each handler takes the request of the operation that names it (specification 11.13). A method may demand a
 * more exact request than its interface, so no compiler run finds that; a file beside the project's asks it.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parseReference } from '../configuration/handler-reference.ts'
import { operationIdOf } from '../model/operation-name.ts'
import type { Problem } from '../model/problem.ts'
import { configFiles, type Project } from './open-project.ts'

export async function checkTypes({
  folder,
  configuration,
}: Pick<Project, 'folder' | 'configuration'>): Promise<readonly Problem[]> {
  const compiler = findCompiler(folder)
  if (compiler === undefined) return [{ path: 'typescript', message: missing }]
  const questions = configuration.operations.flatMap((operation, index): Question[] =>
    typeof operation.handler !== 'string'
      ? []
      : [{ path: `operations[${index}].handler`, id: operationIdOf(operation), handler: operation.handler }],
  )
  const modules = join(folder, 'node_modules')
  await mkdir(modules, { recursive: true })
  const place = await mkdtemp(join(modules, '.integration-gateway-'))
  try {
    const configFile = configFiles.find((name) => existsSync(join(folder, name))) ?? 'gateway.config.ts'
    const { text, firstLine } = writeQuestions(questions, configFile)
    await writeFile(join(place, 'check.ts'), text)
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify(writeConfig(folder)))
    const { output, isComplete } = await compile(compiler, place, folder)
    const problems = readOutput(output).map((error) => describe(error, questions, firstLine))
    if (problems.length > 0 || isComplete) return problems
    return [{ path: 'typescript', message: `failed: ${output.slice(0, 500) || 'it reported nothing'}` }]
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

const missing = 'is not installed in this project, and --types needs it: npm install --save-dev typescript'

interface Question {
  /** `operations[3].handler` */
  readonly path: string
  readonly id: string
  readonly handler: string
}

function findCompiler(folder: string): string | undefined {
  try {
    const file = createRequire(join(folder, 'package.json')).resolve('typescript/package.json')
    const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin: { tsc: string } }
    return join(dirname(file), bin.tsc)
  } catch {
    return undefined
  }
}

/** A module for the compiler; from `firstLine` on it has a line for each question. */
function writeQuestions(questions: readonly Question[], configFile: string) {
  const handlers = [...new Set(questions.map(({ handler }) => handler))]
  const head = [
    "import type { RequestMessage } from 'integration-gateway'",
    `import type gateway from ${JSON.stringify(`../../${configFile}`)}`,
    ...handlers.flatMap((handler, at) => {
      const { path, exportName } = parseReference(handler)
      return [
        `import type { ${exportName} as Handler${at} } from ${JSON.stringify(`../../${path}`)}`,
        `declare const handler${at}: InstanceType<typeof Handler${at}>['onRequest']`,
      ]
    }),
  ]
  const lines = questions.map(
    ({ id, handler }) =>
      `handler${handlers.indexOf(handler)} satisfies (request: RequestMessage<typeof gateway, '${id}'>, context: any) => unknown`,
  )
  return { text: `${[...head, ...lines].join('\n')}\n`, firstLine: head.length + 1 }
}

function writeConfig(folder: string): object {
  const own = existsSync(join(folder, 'tsconfig.json')) ? { extends: '../../tsconfig.json' } : {}
  const always = {
    noEmit: true,
    composite: false,
    incremental: false,
    strictFunctionTypes: true,
    allowImportingTsExtensions: true,
    noUnusedLocals: false,
    allowJs: true,
  }
  const alone = { target: 'es2024', module: 'nodenext', strict: true, skipLibCheck: true }
  return {
    ...own,
    compilerOptions: { ...('extends' in own ? {} : alone), ...always },
    include: [],
    files: ['check.ts'],
  }
}

function compile(compiler: string, place: string, folder: string) {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 }
  return new Promise<{ readonly output: string; readonly isComplete: boolean }>((resolve) => {
    execFile(process.execPath, [compiler, '--pretty', 'false', '--project', place], options, (error, stdout, stderr) =>
      resolve({ output: (stdout + stderr).trim(), isComplete: error === null }),
    )
  })
}

interface Fault {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The first line says what, the last one why. */
  readonly explanation: readonly string[]
}

function readOutput(output: string): readonly Fault[] {
  return output.split(/\r?\n(?! )/).flatMap((part) => {
    const [head = '', ...more] = part.split(/\r?\n/)
    const [, file, line, column, text] = /^(.+)\((\d+),(\d+)\): error TS\d+: (.*)$/.exec(head) ?? []
    if (file === undefined || text === undefined) return []
    return [
      { file, line: Number(line), column: Number(column), explanation: [text, ...more.map((each) => each.trim())] },
    ]
  })
}

function describe(
  { file, line, column, explanation }: Fault,
  questions: readonly Question[],
  firstLine: number,
): Problem {
  const question = /(?:^|[\\/])\.integration-gateway-[^\\/]*[\\/]check\.ts$/.test(file)
    ? questions[line - firstLine]
    : undefined
  const reason = explanation.at(-1) ?? ''
  if (!question) return { path: `${file}(${line},${column})`, message: `has a type error: ${explanation.join(' ')}` }
  const { path, id, handler } = question
  return { path, message: `does not fit ${id}: onRequest of ${handler} takes another request. ${reason}` }
}
