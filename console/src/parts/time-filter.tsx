/** A filter by time: in the chosen zone in the input, UTC in the URL. */
import { TextInput } from '@mantine/core'
import { useParameter } from '../router.tsx'
import { useZone, writeTime } from './moment.tsx'

export function TimeFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [value, setValue] = useParameter(name)
  const zone = useZone()
  const date = new Date(value)
  const shown = Number.isNaN(date.getTime()) ? '' : writeTime(date, zone).replace(' ', 'T')
  const toIso = (text: string) => new Date(zone === 'UTC' ? `${text}Z` : text).toISOString()
  return (
    <TextInput
      key={zone}
      type="datetime-local"
      step={1}
      label={label}
      defaultValue={shown}
      onChange={({ currentTarget: { value: next } }) => setValue(next === '' ? '' : toIso(next))}
      w={210}
    />
  )
}
