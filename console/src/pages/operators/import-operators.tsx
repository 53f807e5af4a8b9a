/** Imports operators from a CSV or JSON file (specification 37.12). */
import { FileInput } from '@mantine/core'
import { useState } from 'react'
import { type OperatorFile, useImportOperators } from '../../api/operators.ts'
import { PreviewDialog } from './preview-dialog.tsx'

export function ImportOperators({ onClose }: { onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const [body, setBody] = useState<OperatorFile>()
  const change = useImportOperators()
  const choose = async (chosen: File | null) => {
    setFile(chosen)
    setBody(undefined)
    change.reset()
    if (!chosen) return
    const format = chosen.name.toLowerCase().endsWith('.json') ? 'json' : 'csv'
    setBody({ format, text: await chosen.text() })
  }
  return (
    <PreviewDialog title="Import callers" body={body} change={change} onClose={onClose}>
      <FileInput
        label="CSV or JSON file"
        description="Adds or changes all callers in the file, or none. Other callers do not change."
        placeholder="Choose a file"
        accept=".csv,.json"
        value={file}
        onChange={(chosen) => void choose(chosen)}
        clearable
        clearButtonProps={{ 'aria-label': 'Clear file' }}
        required
      />
    </PreviewDialog>
  )
}
