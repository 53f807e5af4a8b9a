/** All pages of a list, for its export (specification 18.15, 19.17). */

/** The most that the API sends at once. */
const largestPage = 500

export async function readPages<Row>(
  readPage: (page: { readonly offset: number; readonly limit: number }) => Promise<{
    readonly items: readonly Row[]
    readonly total: number
  }>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let total = 1; rows.length < total; ) {
    const page = await readPage({ offset: rows.length, limit: largestPage })
    if (page.items.length === 0) break // removed meanwhile
    rows.push(...page.items)
    total = page.total
  }
  return rows
}
