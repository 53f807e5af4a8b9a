/** The level of a log entry. */
import { Badge } from '@mantine/core'
import type { LogLevel } from '../api/running.ts'
import { doubtful } from '../theme.ts'

const colours: Readonly<Record<LogLevel, string>> = {
  exception: 'failed',
  error: 'failed',
  warning: doubtful,
  information: 'served',
  debug: 'served',
}

export function LevelBadge({ level }: { readonly level: LogLevel }) {
  return <Badge color={colours[level]}>{level}</Badge>
}
