/** Chooses the time span: a range, or two times; charts are zoomed by dragging. */
import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { CalendarClock, ZoomOut } from 'lucide-react'
import { TimeFilter } from '../../parts/time-filter.tsx'
import { type Range, ranges, setRange, setTimes } from './use-range.ts'

export function RangeBar({ range }: { readonly range: Range }) {
  const [isOpen, { toggle }] = useDisclosure(false)
  const isChosen = range.value === undefined
  return (
    <>
      <SegmentedControl
        aria-label="Period"
        data={ranges.map(({ value, label }) => ({ value, label }))}
        value={range.value ?? 'chosen'}
        onChange={setRange}
        size="xs"
      />
      {isChosen && (
        <Button
          variant="default"
          size="xs"
          leftSection={<ZoomOut size={15} aria-hidden />}
          onClick={() => setTimes('', '')}
        >
          Zoom out
        </Button>
      )}
      <Button
        variant="default"
        size="xs"
        leftSection={<CalendarClock size={15} aria-hidden />}
        onClick={toggle}
        aria-expanded={isOpen}
      >
        Times
      </Button>
      {isOpen && (
        <Group gap="xs" component="fieldset" style={{ border: 0, padding: 0, margin: 0 }} aria-label="Times">
          <TimeFilter name="from" label="From" />
          <TimeFilter name="to" label="To" />
        </Group>
      )}
      {isChosen && (
        <Text size="sm" className="numbers" w="100%">
          Showing calls {range.words}.
        </Text>
      )}
    </>
  )
}
