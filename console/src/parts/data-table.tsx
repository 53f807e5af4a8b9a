/** The table of all lists: sorts, hides columns, exports, and opens the item of a row. */
import { Table, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { go, hrefOf, useParameter } from '../router.tsx'
import type { CellValue, Column } from './column.ts'
import { breakLongWords } from './long-words.tsx'
import { useShown } from './show-more.tsx'
import { type FileOf, TableTools, useHiddenColumns } from './table-tools.tsx'

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** On narrow screens each row is a block with all columns. */
  readonly isStacked?: boolean
  /** Without sorting, column choice and export: a small table inside a page. */
  readonly isPlain?: boolean
  /** The rows are a part of the list, so only the API can sort it. */
  readonly isPart?: boolean
  /** The whole list, for its export; by default the rows, unless they are a part. */
  readAll?(): Promise<readonly Row[]>
  /** The server writes the export: the browser does not read the whole list. */
  readonly fileOf?: FileOf
  keyOf(row: Row): string
  /** Where a click on the row leads; a cell has the same link, for the keyboard. */
  linkOf?(row: Row): string
}

export function DataTable<Row>({
  label,
  columns,
  rows,
  isStacked = false,
  isPlain = false,
  isPart = false,
  readAll = isPart ? undefined : async () => rows,
  fileOf,
  keyOf,
  linkOf,
}: Props<Row>) {
  const [sort] = useParameter('sort')
  const hidden = useHiddenColumns(label, columns)
  const isSortable = (column: Column<Row>) =>
    !isPlain && (isPart ? column.sort !== undefined : column.value !== undefined)
  const shown = isPlain ? columns : columns.filter(({ title }) => !hidden.isHidden(title))
  const sorted = isPlain || isPart ? rows : sortRows(rows, columns, sort)
  const drawn = useShown(sorted, 'rows')
  const classOf = ({ title, isOnlyWide, isNumber }: Column<Row>) =>
    [isOnlyWide && !isStacked && !hidden.isChosen(title) && 'only-wide', isNumber && 'number']
      .filter(Boolean)
      .join(' ') || undefined
  return (
    <div className="table-frame">
      {!isPlain && <TableTools label={label} columns={columns} hidden={hidden} readAll={readAll} fileOf={fileOf} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className="wide" aria-label={label} tabIndex={0}>
        <Table verticalSpacing={6} highlightOnHover className={isStacked ? 'stacked' : undefined}>
          <Table.Thead>
            <Table.Tr>
              {shown.map((column) => (
                <Heading
                  key={column.title}
                  title={column.title}
                  hint={column.hint}
                  by={isSortable(column) ? (column.sort ?? column.title) : undefined}
                  className={classOf(column)}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody onKeyDown={moveBetweenRows}>
            {drawn.shown.map((row) => (
              <Table.Tr key={keyOf(row)} {...(linkOf && { className: 'opens', onClick: openBy(linkOf(row)) })}>
                {shown.map((column) => (
                  <Table.Td
                    key={column.title}
                    className={classOf(column)}
                    data-label={column.isAction ? undefined : column.title}
                  >
                    {showCell(column, row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {drawn.more}
      </section>
    </div>
  )
}

interface HeadingProps {
  readonly title: string
  readonly hint: string | undefined
  readonly by: string | undefined
  readonly className: string | undefined
}

/** Sorts ascending, then descending, then as the list comes. */
function Heading({ title, hint, by, className }: HeadingProps) {
  const [sort, setSort] = useParameter('sort')
  if (by === undefined)
    return (
      <Table.Th scope="col" className={className} title={hint}>
        {title}
      </Table.Th>
    )
  const direction = sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none'
  const next = { none: by, ascending: `-${by}`, descending: '' }[direction]
  return (
    <Table.Th scope="col" className={className} title={hint} aria-sort={direction}>
      <UnstyledButton className="sorts" onClick={() => setSort(next)}>
        {title}
        {direction === 'ascending' && <ArrowUp size={14} aria-hidden />}
        {direction === 'descending' && <ArrowDown size={14} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  )
}

function showCell<Row>({ show, value }: Column<Row>, row: Row): ReactNode {
  const shown = show ? show(row) : value?.(row)
  return typeof shown === 'string' ? breakLongWords(shown) : shown
}

/** Empty cells come last, in both directions. */
export function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], sort: string): readonly Row[] {
  const isDescending = sort.startsWith('-')
  const { value } = columns.find(({ title }) => title === sort.slice(isDescending ? 1 : 0)) ?? {}
  if (!value) return rows
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)]
    if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b))
    return (isDescending ? -1 : 1) * compareValues(a, b)
  })
}

function isEmpty(value: CellValue): value is null | undefined | '' {
  return value === null || value === undefined || value === ''
}

function compareValues(one: CellValue, other: CellValue): number {
  if (typeof one === 'string' && typeof other === 'string') return one.localeCompare(other, 'en', { numeric: true })
  return Number(one) - Number(other)
}

/** What is in the row keeps its own click, and marked text is not a click. */
function openBy(to: string) {
  return (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest('a, button, input, label, summary, details')
    if (isOwn || event.defaultPrevented || getSelection()?.type === 'Range') return
    if (event.metaKey || event.ctrlKey) open(hrefOf(to), '_blank', 'noopener')
    else go(to)
  }
}

/** Arrow keys move between the first links of the rows. */
function moveBetweenRows(event: KeyboardEvent) {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]
  if (step === undefined || !(event.target instanceof HTMLAnchorElement)) return
  const row = event.target.closest('tr')?.[step as 'nextElementSibling']
  const link = row?.querySelector('a')
  if (!link) return
  event.preventDefault()
  link.focus()
}
