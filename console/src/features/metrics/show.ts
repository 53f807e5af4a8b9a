/** Names and values of the overview. */
import { showNumber } from './chart/scale.ts'

/** Labels of groups that are not operations. */
export const groupNames: Readonly<Record<string, string>> = {
  '(unknown)': 'Unknown operations',
  '(description)': 'API descriptions',
  '(options)': 'OPTIONS requests',
  '(others)': 'Other operations',
}

export const showBytes = (value: number) => `${showNumber(value / 1024 ** 2)} MiB`
