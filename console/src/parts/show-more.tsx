/** Below a list of which only the first entries are drawn. */
import { Button } from '@mantine/core'
import { useState } from 'react'

const step = 100

/** Many thousands would take the browser seconds. */
export function useShown<Entry>(all: readonly Entry[], what: string) {
  const [count, setCount] = useState(step)
  const more = all.length > count && (
    <Button variant="default" onClick={() => setCount(count + step)} style={{ alignSelf: 'flex-start' }}>
      Show more of {all.length.toLocaleString('en')} {what}
    </Button>
  )
  return { shown: all.slice(0, count), more }
}
