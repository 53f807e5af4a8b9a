/** The permission policy of a project, where it has one, held against its operators (specification 15.7). */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compileCatalog } from '../model/catalog.ts'
import { checkPolicy, parsePolicy, policyFile } from '../model/permission-policy.ts'
import type { Problem } from '../model/problem.ts'
import type { Project } from '../project.ts'
import type { Settings } from '../settings.ts'
import { StoreUnavailable } from '../store/store.ts'
import { readOperators } from './read-operators.ts'

export async function checkPolicyFile(project: Project, settings: Settings): Promise<readonly Problem[]> {
  try {
    const { lines, problems } = parsePolicy(await readFile(join(project.folder, policyFile), 'utf8'))
    if (lines.length === 0) return problems
    const operators = await readOperators(settings, project)
    const catalog = compileCatalog(project.configuration, project.handlers)
    return [...problems, ...checkPolicy(lines, operators, catalog)]
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    if (!(error instanceof StoreUnavailable) && syscall === undefined) throw error
    return [{ path: policyFile, message: `cannot be checked: ${message}` }]
  }
}
