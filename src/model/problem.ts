/** The errors of a configuration: all of them together, in the same words everywhere (specification 2.12). */

export interface Problem {
  /** Where: `operations[3].uriTemplates[0]`. */
  readonly path: string
  /** What is wrong, and what to change; follows the path: `is missing`. */
  readonly message: string
}

/** What has more is no configuration, and a list of all its errors would need more memory than a process has. */
export const maxErrors = 20_000

/** The line that start-up and command line print. */
export function formatProblem({ path, message }: Problem): string {
  return `${path} ${message}`
}

/** A project has errors; lists all of them. */
export class ProjectProblems extends Error {
  override readonly name = 'ProjectProblems'
  readonly problems: readonly Problem[]
  /** Absolute: the configuration module that the paths refer to. */
  readonly configFile: string | undefined

  constructor(problems: readonly Problem[], configFile?: string) {
    super(problems.map(formatProblem).join('\n'))
    this.problems = problems
    this.configFile = configFile
  }
}

/** This process cannot serve a revision. */
export class RevisionProblems extends Error {
  override readonly name = 'RevisionProblems'
  readonly revision: number
  readonly problems: readonly Problem[]

  constructor(revision: number, problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('; '))
    this.revision = revision
    this.problems = problems
  }
}

/** `['operations', 3, 'handler']` → `operations[3].handler`; the empty path is the document itself. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (/^[\w$-]+$/.test(String(key))) text += text === '' ? String(key) : `.${String(key)}`
    else text += `[${JSON.stringify(String(key))}]`
  }
  return text || 'configuration'
}

/** In the order of their paths, `[2]` before `[10]`. */
export function sortProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((a, b) => byPath.compare(a.path, b.path))
}

const byPath = new Intl.Collator('en', { numeric: true })
