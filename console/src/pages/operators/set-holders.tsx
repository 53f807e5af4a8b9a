/** Sets who holds a permission list (specification 37.12). */
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { useHolders, useSetHolders } from '../../api/operators.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PreviewDialog } from './preview-dialog.tsx'

interface Props {
  readonly permissionList: string
  onClose(): void
}

export function SetHolders({ permissionList, onClose }: Props) {
  const holders = useHolders(permissionList)
  const [text, setText] = useState<string>()
  const change = useSetHolders(permissionList)
  const operators = text?.split('\n').filter((id) => id !== '')
  return (
    <PreviewDialog
      title={`Holders of ${permissionList}`}
      body={operators && { operators }}
      change={change}
      onClose={onClose}
    >
      <Loaded query={holders}>
        {({ operators: held }) => (
          <Textarea
            label="Callers"
            description="One ID per line. All other callers lose the permission list."
            value={text ?? held.join('\n')}
            onChange={(event) => setText(event.currentTarget.value)}
            rows={6}
            className="mono"
          />
        )}
      </Loaded>
    </PreviewDialog>
  )
}
