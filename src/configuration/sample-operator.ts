/**
 * Sample operators of a project: what `ig dev` adds to the store where it is absent, and registers with the sample
 * issuer. `ig start` never looks at them (specification 9.14).
 */
import { z } from 'zod'
import { type Problem, sortProblems } from '../model/problem.ts'
import { type NameSet, requireKnown } from './known-names.ts'
import { operatorId, readIssues, strictObject } from './schema.ts'

/** Operators for development, as a list: docs/reference/configuration.md has their fields. */
export type SampleOperatorsDefinition = z.input<typeof schema>
export type SampleOperator = z.output<typeof schema>[number]

export const sampleOperator = strictObject({
  id: operatorId,
  description: z.string().default(''),
  password: z.string().min(1, 'must not be empty'),
  email: z
    .email('must be an e-mail address')
    .describe("The operator's primary address; the sample issuer puts it into tokens"),
  isLocked: z.boolean().default(false),
  permissionLists: z.array(z.string()).readonly().default([]),
  clientSecret: z
    .string()
    .min(1, 'must not be empty')
    .optional()
    .describe('Makes the operator a client of the sample issuer, with the operator id as client id'),
})

const schema = z.array(sampleOperator).readonly()

/** @param known names of the configuration's permission lists */
export function parseSampleOperators(
  input: unknown,
  known: NameSet | undefined,
): { readonly sampleOperators: readonly SampleOperator[] } | { readonly problems: readonly Problem[] } {
  const result = schema.safeParse(input)
  if (!result.success) return { problems: sortProblems(readIssues(result.error.issues, input, ['sampleOperators'])) }
  const problems = [...checkOperators(result.data, known)]
  return problems.length > 0 ? { problems } : { sampleOperators: result.data }
}

function* checkOperators(operators: readonly SampleOperator[], known: NameSet | undefined): Iterable<Problem> {
  const ids = new Set<string>()
  for (const [index, { id, permissionLists }] of operators.entries()) {
    if (ids.has(id)) yield { path: `sampleOperators[${index}].id`, message: `repeats ${id}: operator ids are unique` }
    ids.add(id)
    for (const [position, name] of permissionLists.entries()) {
      yield* requireKnown(`sampleOperators[${index}].permissionLists[${position}]`, name, known, 'permission list')
    }
  }
}
