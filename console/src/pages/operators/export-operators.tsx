/** Downloads all operators as a CSV file that can be imported again (specification 37.12). */
import { Button } from '@mantine/core'
import { useExportOperators } from '../../api/operators.ts'
import { useToast } from '../../parts/toast.tsx'

export function ExportOperators() {
  const toast = useToast()
  const { mutate, isPending } = useExportOperators()
  const save = () =>
    mutate(undefined, {
      onSuccess: ({ text }) => download(text),
      onError: ({ message }) => toast(message),
    })
  return (
    <Button variant="default" onClick={save} loading={isPending}>
      Export
    </Button>
  )
}

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = 'operators.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
