/** Operators in bulk: files as `ig operator import` reads them, and the holders of a permission list (specification 37). */
import { hash } from 'node:crypto'
import { z } from 'zod'
import { type ActionParts, action } from '../../actions/action.ts'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import { flag, name } from '../../actions/schemas.ts'
import { type OperatorChange, summarizeImport } from '../../configuration/operator-file/apply-entry.ts'
import { readSteps, withUnknownLists } from '../../configuration/operator-file/read-operator-file.ts'
import { writeSteps } from '../../configuration/operator-file/write-operator-file.ts'
import { operatorId } from '../../configuration/schema.ts'
import type { Problem } from '../../model/problem.ts'
import { findDigests, wrapDigests } from '../../verification/basic/wrap-digests.ts'
import { inTurn } from '../in-turn.ts'
import { showChanges } from './show-operator-changes.ts'

const tag = 'Operators'
const format = z.enum(['csv', 'json']).describe('By default the extension of the file')
const dryRun = z.boolean().default(false).describe('Report the changes, and store nothing')
const byName = z.object({ id: z.string().describe('Name of the permission list') })
/** Hashing as many takes some seconds. */
const maxDigests = 1000

const changed = name(
  'OperatorChanges',
  z.object({
    isStored: z.boolean(),
    added: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    changes: z.array(
      z.object({
        kind: z.enum(['added', 'changed']),
        id: z.string(),
        before: z.record(z.string(), z.unknown()).describe('Changed fields only'),
        after: z.record(z.string(), z.unknown()),
        gains: z.array(z.string()).describe('Permission lists'),
        loses: z.array(z.string()),
      }),
    ),
  }),
)

const holdersFile = { option: 'file', reads: 'lines', description: 'a file with an operator id on each line' } as const

export const operatorFileRoutes = [
  action({
    operationId: 'exportOperators',
    tag,
    summary: 'Get all operators as a file that can be imported again',
    method: 'GET',
    path: '/api/operator-file',
    access: 'viewer',
    commandLine: {
      verb: 'operator export',
      inputs: { format: { extensionOf: 'out' } },
      file: 'text',
      says: ({ operators }) => `${operators} operators are written.`,
    },
    query: z.object({
      format: format.default('csv'),
      passwordHashes: flag
        .optional()
        .describe("Include the hashes of their passwords: only ig does, over the project's database"),
    }),
    answer: name('OperatorFile', z.object({ format, text: z.string(), operators: z.int() })),
    problems: ['overloaded'],
    async handle({ parts, query: { format, passwordHashes: hasPasswords = false } }) {
      if (hasPasswords && parts.gateway)
        throw new AdminProblem('accessDenied', "Only ig writes hashes of passwords, over the project's database.")
      const operators = await parts.store.operators.list()
      const text = await inTurn(writeSteps(operators, { format, hasPasswords }))
      return { body: { format, text, operators: operators.length } }
    },
  }),
  action({
    operationId: 'importOperators',
    done: 'Imported operators',
    tag,
    summary: 'Add and change the operators of a file, all or none',
    description:
      'The columns are those of ig operator import. If a line has an error, all errors are returned and nothing is stored. Larger files are for ig operator import.',
    method: 'POST',
    path: '/api/operator-file',
    access: 'administrator',
    commandLine: {
      verb: 'operator import',
      args: ['text'],
      description:
        'If a line has an error, all errors are reported and nothing is stored. ig operator export writes such a file. With --url, at most 1 MiB.',
      inputs: {
        text: { option: 'file', reads: 'file', description: 'a file of operators, CSV or JSON' },
        format: { extensionOf: 'file' },
      },
      says: (changes) => showChanges(changes, 'Nothing was imported (--dry-run).'),
    },
    body: name('OperatorImport', z.object({ format, text: z.string(), dryRun })),
    example: { format: 'csv', text: 'id,emails,permissionLists\nKIM,kim@example.com,PUBLIC\n', dryRun: true },
    answer: changed,
    problems: ['overloaded'],
    async handle({ parts, body: { format, text, dryRun }, audited }) {
      const read = await inTurn(readSteps(text, format))
      const { entries } = read
      requireNone(withUnknownLists(read, await parts.permissionLists(read.lists.map(({ name }) => name))))
      const planned = await parts.store.operators.preview(entries)
      const digests = findDigests(entries, planned)
      if (parts.gateway && digests.length > maxDigests)
        requireNone([
          {
            path: 'the file',
            message: `has ${digests.length} old passwords, and at most ${maxDigests} are hashed here. Use ig operator import without --url`,
          },
        ])
      const described = (changes: readonly OperatorChange[], isStored: boolean) =>
        describe(changes, isStored, entries.length - changes.length)
      if (dryRun) return { body: described(planned, false) }
      const prepared = await wrapDigests(entries, digests, (made) => {
        if (made % 1000 === 0) parts.tell?.(`Hashing old passwords: ${made} of ${digests.length}`)
      })
      const file = `sha256:${hash('sha256', text)}`
      const { operators } = audited((result) => ({
        subject: `${entries.length} operators`,
        after: { file, ...summarizeImport(result as readonly OperatorChange[]) },
      }))
      return { body: described((await operators.import(prepared)) || [], true) }
    },
  }),
  action({
    operationId: 'listHolders',
    tag,
    summary: 'List the ids of all operators that hold a permission list',
    method: 'GET',
    path: '/api/permission-lists/:id/operators',
    access: 'viewer',
    commandLine: {
      verb: 'operator holders',
      args: ['id'],
      inputs: { id: { option: 'permission-list' } },
      says: ({ operators }) => operators,
    },
    params: byName,
    answer: name('Holders', z.object({ operators: z.array(z.string()) })),
    async handle({ parts, params: { id } }) {
      const operators = [...(await parts.store.operators.holders(id))]
      const { permissionLists } = await parts.configuration()
      const names = permissionLists.map(({ name }) => name)
      if (operators.length === 0 && !names.includes(id)) throw notFound('permission list', id, names)
      return { body: { operators } }
    },
  }),
  action({
    operationId: 'setHolders',
    done: 'Set the holders of a permission list',
    tag,
    summary: 'Set the holders of a permission list: exactly these operators',
    description: 'Grants it to those that lack it and revokes it from all others, in one transaction.',
    method: 'PUT',
    path: '/api/permission-lists/:id/operators',
    access: 'operator',
    commandLine: {
      verb: 'operator set-holders',
      args: ['id', 'operators'],
      inputs: { id: { option: 'permission-list' }, operators: holdersFile },
      asks: ({ id, operators, dryRun }) =>
        operators.length === 0 && !dryRun
          ? `The file names no operator: revoke ${id} from all its holders?`
          : undefined,
      says: (changes) => showChanges(changes, 'Nothing was changed (--dry-run).'),
    },
    params: byName,
    body: name('NewHolders', z.object({ operators: z.array(operatorId).max(100_000), dryRun })),
    example: { operators: ['KIM', 'BATCH'], dryRun: true },
    answer: changed,
    async handle({ parts, params: { id }, body, audited }) {
      await requireList(id, parts)
      const planned = await parts.store.operators.previewHolders(id, body.operators)
      const unknown = new Set(planned.filter(({ kind }) => kind === 'added').map((change) => change.id))
      requireNone(
        body.operators.flatMap((operator, at) =>
          unknown.has(operator) ? [{ path: `operators[${at}]`, message: `${operator} is not an operator` }] : [],
        ),
      )
      const described = (changes: readonly OperatorChange[], isStored: boolean) =>
        describe(changes, isStored, new Set(body.operators).size - countGains(changes))
      if (body.dryRun) return { body: described(planned, false) }
      const { operators } = audited((result) => ({
        subject: id,
        after: summarizeImport(result as readonly OperatorChange[]),
      }))
      return { body: described((await operators.setHolders(id, body.operators)) || [], true) }
    },
  }),
]

const countGains = (changes: readonly OperatorChange[]) => changes.filter(({ gains }) => gains.length > 0).length

function describe(changes: readonly OperatorChange[], isStored: boolean, unchanged: number) {
  return { isStored, ...summarizeImport(changes), unchanged, changes }
}

function requireNone(problems: readonly Problem[]): void {
  if (problems.length === 0) return
  const count = problems.length === 1 ? 'an error' : `${problems.length} errors`
  throw new AdminProblem('invalid', `Nothing was stored: there ${problems.length === 1 ? 'is' : 'are'} ${count}.`, {
    problems,
  })
}

async function requireList(id: string, parts: ActionParts): Promise<void> {
  const known = await parts.permissionLists([id])
  if (!known.includes(id)) throw notFound('permission list', id, known)
}
