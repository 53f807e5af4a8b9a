/** `ig can`: who may call what, and by which permission list (specification 15.4). */
import type { Command } from 'commander'
import { compileCatalog } from '../configuration/catalog.ts'
import type { Operation } from '../model/operation.ts'
import type { Operator } from '../model/operator.ts'
import { findPermission } from '../model/permission.ts'
import { requireOperation, requireOperator } from '../terminal/find-named.ts'
import { alignColumns, print, printJson, printTable, show } from '../terminal/print.ts'
import { projectOption, readProjectSettings } from '../terminal/project-options.ts'
import { readProjectOperators } from '../terminal/read-project-operators.ts'
import { openRequestedProject, revisionOption } from '../terminal/read-requested-project.ts'
import { terminal } from '../terminal/terminal.ts'

interface Options {
  readonly project: string
  readonly revision?: string
  readonly json?: boolean
}

export function can(command: Command): void {
  command
    .description(
      'Reports whether an operator may call an operation, and by which permission list: exit code 0 for yes, 1 for no. ' +
        'Without an operation it lists all operations; without an operator, every operator.',
    )
    .argument('[operator]', 'id of an operator')
    .argument('[operation]', 'KEY_VALUE_POST.v1; the version is optional if there is only one')
    .option(...projectOption)
    .option(...revisionOption)
    .option('--json', 'print { "operator", "operation", "isAllowed", "grantedBy", "wouldGrant", "reason" }, or a list')
    .addHelpText('after', '\nExamples:\n  ig can DEMO KEY_VALUE_POST\n  ig can --json')
    .action(run)
}

async function run(operatorId: string | undefined, name: string | undefined, options: Options): Promise<void> {
  const settings = readProjectSettings(options.project)
  const project = await openRequestedProject(options)
  const catalog = compileCatalog(project.configuration, project.handlers)
  const operation = name === undefined ? undefined : requireOperation(name, catalog)
  const operators = await readProjectOperators(settings, project)
  const operator = operatorId === undefined ? undefined : requireOperator(operatorId, operators)
  if (operator && operation) return answerOne(operator, operation, options)

  const rows = operator ? [operator] : [...operators.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const columns = [...catalog.operations.values()]
  if (options.json) printJson(rows.flatMap((row) => columns.map((column) => describe(row, column))))
  else if (operator) printOperations(operator, columns)
  else if (rows.length === 0) print('There are no operators yet. Add the first: ig operator add <id>')
  else printMatrix(rows, columns)
}

function answerOne(operator: Operator, operation: Operation, { json }: Options): void {
  const { isAllowed, reason } = findPermission(operator, operation)
  if (!isAllowed) terminal().exitCode = 1
  const may = `${isAllowed ? 'yes' : 'no'}: ${show(operator.id)} ${isAllowed ? 'may' : 'may not'} call ${operation.id}`
  if (json) printJson(describe(operator, operation))
  else print(`${may}: ${show(reason)}`)
}

function describe(operator: Operator, operation: Operation) {
  return { operator: operator.id, operation: operation.id, ...findPermission(operator, operation) }
}

function printOperations(operator: Operator, operations: readonly Operation[]): void {
  const rows = operations.map((operation) => {
    const { isAllowed, reason } = findPermission(operator, operation)
    return [operation.id, isAllowed ? 'yes' : 'no', show(reason)]
  })
  print(alignColumns(rows).join('\n'))
}

/** Operations as rows, operators as columns: names of operations are longer. */
function printMatrix(operators: readonly Operator[], operations: readonly Operation[]): void {
  printTable([
    ['OPERATION', ...operators.map(({ id }) => show(id))],
    ...operations.map((operation) => [
      operation.id,
      ...operators.map((operator) => (findPermission(operator, operation).isAllowed ? 'yes' : '-')),
    ]),
  ])
}
