/** The menu of a table: its columns, its export, and the views of its page that this browser keeps. */
import { ActionIcon, Menu } from '@mantine/core'
import { Bookmark, Download, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import type { Column } from './column.ts'
import { type ExportFormat, exportFormats, exportRows } from './export-rows.ts'
import { keep, parseKept, useKept } from './kept.ts'
import { SavedViews } from './saved-views.tsx'
import { useToast } from './toast.tsx'

type Choices = Readonly<Record<string, boolean>>

export interface HiddenColumns {
  isHidden(title: string): boolean
  /** Whether it was chosen to be shown, also where it would be hidden. */
  isChosen(title: string): boolean
  show(title: string, isShown: boolean): void
}

/** Which columns of a table are hidden: a choice that the browser keeps. */
export function useHiddenColumns<Row>(label: string, columns: readonly Column<Row>[]): HiddenColumns {
  const place = `columns:${label}`
  const choices = parseKept(useKept(place), isChoices) ?? {}
  const extra = new Set(columns.filter(({ isExtra }) => isExtra).map(({ title }) => title))
  return {
    isHidden: (title) => !(choices[title] ?? !extra.has(title)),
    isChosen: (title) => choices[title] === true,
    show: (title, isShown) => keep(place, JSON.stringify({ ...choices, [title]: isShown })),
  }
}

function isChoices(value: unknown): value is Choices {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'boolean')
}

interface Props<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly hidden: HiddenColumns
  /** All rows of the list; undefined if they cannot be read, and so not exported. */
  readonly readAll: (() => Promise<readonly Row[]>) | undefined
  readonly fileOf?: FileOf | undefined
}

/** The address of a file of the API that has the whole list. */
export type FileOf = (format: ExportFormat) => string

export function TableTools<Row>({ label, columns, hidden, readAll, fileOf }: Props<Row>) {
  const [isManaging, setIsManaging] = useState(false)
  const [isExporting, setIsExporting] = useState(false)
  const toast = useToast()
  const choosable = columns.slice(1).filter(({ isAction }) => !isAction)
  const exportAs = async (format: ExportFormat, readAll: () => Promise<readonly Row[]>) => {
    setIsExporting(true)
    try {
      const rows = await readAll()
      exportRows(label, format, columns, rows)
      toast(`${rows.length.toLocaleString('en')} ${rows.length === 1 ? 'row' : 'rows'} exported.`)
    } catch (error) {
      toast(`Not exported: ${error instanceof Error ? error.message : String(error)}`)
    } finally {
      setIsExporting(false)
    }
  }
  return (
    <>
      <Menu position="bottom-end" withinPortal closeOnItemClick={false}>
        <Menu.Target>
          <ActionIcon
            className="table-tools"
            variant="subtle"
            color="gray"
            loading={isExporting}
            aria-label={`Columns, export and views of ${label}`}
          >
            <Ellipsis size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
          {choosable.length > 0 && <Menu.Label>Columns</Menu.Label>}
          {choosable.map(({ title }) => (
            <Menu.CheckboxItem
              key={title}
              checked={!hidden.isHidden(title)}
              onChange={(isShown) => hidden.show(title, isShown)}
            >
              {title}
            </Menu.CheckboxItem>
          ))}
          {(fileOf ?? readAll) && <Menu.Label>Export</Menu.Label>}
          {fileOf
            ? Object.entries(exportFormats).map(([title, format]) => (
                <Menu.Item
                  key={format}
                  component="a"
                  href={fileOf(format)}
                  download
                  closeMenuOnClick
                  leftSection={<Download size={15} aria-hidden />}
                >
                  {title}
                </Menu.Item>
              ))
            : readAll &&
              Object.entries(exportFormats).map(([title, format]) => (
                <Menu.Item
                  key={format}
                  closeMenuOnClick
                  leftSection={<Download size={15} aria-hidden />}
                  onClick={() => void exportAs(format, readAll)}
                >
                  {title}
                </Menu.Item>
              ))}
          {(choosable.length > 0 || fileOf || readAll) && <Menu.Divider />}
          <Menu.Item
            closeMenuOnClick
            leftSection={<Bookmark size={15} aria-hidden />}
            onClick={() => setIsManaging(true)}
          >
            Saved views
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isManaging && <SavedViews onClose={() => setIsManaging(false)} />}
    </>
  )
}
