/**
 * Rows for values that were not recorded (specification 16.11): where rows answer alike whatever the value of a variable,
 * one row without it takes their place; where a person says so, a further row answers all other values.
 */
export interface Widening<Row> {
  readonly rows: readonly Row[]
  /** Variables whose value no longer matters in some row. */
  readonly loosened: readonly string[]
}

export interface RowTraits<Row> {
  readonly templateOf: (row: Row) => string
  readonly parametersOf: (row: Row) => Readonly<Record<string, string>>
  readonly without: (row: Row, names: ReadonlySet<string>) => Row
  readonly isSameAnswer: (a: Row, b: Row) => boolean
  readonly isSuccess: (row: Row) => boolean
}

/** @param any names of variables, as the caller of the import gave them */
export function widenRows<Row>(rows: readonly Row[], any: ReadonlySet<string>, traits: RowTraits<Row>): Widening<Row> {
  const loosened: string[] = []
  let widened = rows
  for (const name of namesOf(rows, traits)) {
    const next = joinAlike(widened, name, traits)
    if (next.length < widened.length) loosened.push(name)
    widened = next
  }
  return { rows: [...widened, ...addOthers(widened, any, traits)], loosened }
}

function namesOf<Row>(rows: readonly Row[], { parametersOf }: RowTraits<Row>): ReadonlySet<string> {
  return new Set(rows.flatMap((row) => Object.keys(parametersOf(row))))
}

/** At least two values with one answer: a single recorded value shows nothing about others. */
function joinAlike<Row>(rows: readonly Row[], name: string, traits: RowTraits<Row>): readonly Row[] {
  const names = new Set([name])
  const groups = Map.groupBy(rows, (row) => keyOf(traits.without(row, names), traits))
  const joined = new Set<Row>()
  const kept: Row[] = []
  for (const row of rows) {
    const group = groups.get(keyOf(traits.without(row, names), traits)) ?? []
    const [first] = group as [Row]
    const isAlike =
      group.length > 1 && group.every((one) => name in traits.parametersOf(one) && traits.isSameAnswer(one, first))
    if (!isAlike) kept.push(row)
    else if (!joined.has(first)) {
      joined.add(first)
      kept.push(traits.without(first, names))
    }
  }
  return kept
}

/** The first success counts, else the first answer. */
function addOthers<Row>(rows: readonly Row[], any: ReadonlySet<string>, traits: RowTraits<Row>): readonly Row[] {
  const concerned = rows.filter((row) => Object.keys(traits.parametersOf(row)).some((name) => any.has(name)))
  const known = new Set(rows.map((row) => keyOf(row, traits)))
  return [...Map.groupBy(concerned, (row) => keyOf(traits.without(row, any), traits))]
    .filter(([key]) => !known.has(key))
    .map(([, group]) => traits.without(group.find(traits.isSuccess) ?? (group[0] as Row), any))
}

function keyOf<Row>(row: Row, { templateOf, parametersOf }: RowTraits<Row>): string {
  const entries = Object.entries(parametersOf(row)).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([templateOf(row), entries])
}
