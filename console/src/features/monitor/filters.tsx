/** The filters of the monitor; they are in the URL, so a view can be shared (specification 21.8). */
import { Button, Collapse, Group, NumberInput, SegmentedControl, Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useOperations } from '../../api/configuration.ts'
import { useOperators } from '../../api/operators.ts'
import { useMay } from '../../api/session.ts'
import { SearchSelect } from '../../parts/search-select.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { refusalCodes } from '../../refusals.ts'
import { setParameters, useParameter, usePlace } from '../../router.tsx'
import { allFilters, moreFilters, outcomes, slow } from './read-filter.ts'
import { outcomeNames } from './show-transaction.tsx'

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'JOB']
const findOperations = (search: string) => useOperations({ limit: 50, ...(search !== '' && { search }) })
const findOperators = (search: string) => useOperators({ limit: 50, ...(search !== '' && { search }) })

export function Filters({ minDurations }: { readonly minDurations: readonly number[] }) {
  const { query } = usePlace()
  const mayRead = useMay('operator')
  const set = (names: readonly string[]) => names.filter((name) => query.has(name)).length
  const hidden = set(moreFilters)
  const [isOpen, { toggle }] = useDisclosure(hidden > 0)
  return (
    <search>
      <Group gap="sm">
        <OneOf name="outcome" label="Outcome" choices={outcomeChoices} />
        <OneOf name="last" label="Period" choices={periodChoices} />
        <OneOf name="sort" label="Order" choices={orderChoices} />
        <SearchSelect name="operation" label="Operation" useFound={findOperations} />
        <SearchSelect name="operator" label="Caller" useFound={findOperators} />
        {mayRead && <TextFilter name="claimed" label="Claimed name" />}
        <TextFilter name="url" label="URL contains" />
        <Button variant="default" onClick={toggle} aria-expanded={isOpen}>
          {hidden === 0 || isOpen ? 'More filters' : `More filters: ${hidden}`}
        </Button>
        {set(allFilters) > 0 && (
          <Button
            variant="subtle"
            onClick={() => setParameters(Object.fromEntries(allFilters.map((name) => [name, ''])))}
          >
            Clear filters
          </Button>
        )}
      </Group>
      <Collapse expanded={isOpen}>
        <More key={String(set(allFilters) === 0)} minDurations={minDurations} />
      </Collapse>
    </search>
  )
}

const outcomeChoices = [
  ['', 'All'],
  ...outcomes.map((value) => [value, outcomeNames[value]] as const),
  [slow, 'Slow'],
] as const
const periodChoices = [
  ['', 'All times'],
  ['1h', 'Last hour'],
  ['24h', 'Last day'],
] as const
const orderChoices = [
  ['', 'Newest'],
  ['-durationMs', 'Slowest'],
] as const

interface OneOfProps {
  readonly name: string
  readonly label: string
  /** Value and words; the first is the default. */
  readonly choices: readonly (readonly [string, string])[]
}

function OneOf({ name, label, choices }: OneOfProps) {
  const [value, setValue] = useParameter(name)
  return (
    <SegmentedControl
      aria-label={label}
      data={choices.map(([value, label]) => ({ value, label }))}
      value={choices.some(([known]) => known === value) ? value : ''}
      onChange={setValue}
    />
  )
}

function More({ minDurations }: { readonly minDurations: readonly number[] }) {
  const durations = minDurations.map((value) => ({ value: String(value), label: `${value.toLocaleString('en')} ms` }))
  const cached = [
    { value: 'true', label: 'Cache' },
    { value: 'false', label: 'Handler' },
  ]
  return (
    <Group gap="sm" mt="sm" align="flex-end">
      <Choice name="status" label="Status" data={['Done', 'Error']} width={110} />
      <Choice name="refusal" label="Refusal" data={refusalCodes} />
      <Choice name="method" label="Method" data={methods} width={110} />
      <HttpStatus />
      <Choice name="minDuration" label="Minimum duration" data={durations} width={120} />
      <Choice name="isCached" label="Source" data={cached} />
      <Labelled name="node" label="Node" />
      <TimeFilter name="from" label="From" />
      <TimeFilter name="to" label="Until" />
      <Labelled name="transactionId" label="Id of the call" />
    </Group>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly data: readonly (string | { readonly value: string; readonly label: string })[]
  readonly width?: number
}

function Choice({ name, label, data, width = 180 }: ChoiceProps) {
  const [value, setValue] = useParameter(name)
  return (
    <Select
      label={label}
      data={[...data]}
      value={value === '' ? null : value}
      onChange={(next) => setValue(next ?? '')}
      clearable
      searchable
      placeholder="Any"
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      w={width}
    />
  )
}

function HttpStatus() {
  const [value, setValue] = useParameter('httpStatus')
  return (
    <NumberInput
      label="HTTP status"
      value={value === '' ? '' : Number(value)}
      onChange={(next) => setValue(String(next))}
      placeholder="Any"
      hideControls
      allowDecimal={false}
      allowNegative={false}
      w={110}
    />
  )
}

function Labelled({ name, label }: { readonly name: string; readonly label: string }) {
  return <TextFilter name={name} label={label} isLabelled />
}
