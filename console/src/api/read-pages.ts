/** All pages of a list, for its export (specification 18.15). */

/** The most that the API sends at once. */
const largestPage = 500

export async function readPages<Row>(
  readPage: (page: { readonly offset: number; readonly limit: number }) => Promise<{
    readonly items: readonly Row[]
    readonly total: number
    readonly isMore?: boolean
  }>,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let isMore = true; isMore; ) {
    const page = await readPage({ offset: rows.length, limit: largestPage })
    rows.push(...page.items)
    isMore = page.items.length > 0 && (rows.length < page.total || page.isMore === true)
  }
  return rows
}
