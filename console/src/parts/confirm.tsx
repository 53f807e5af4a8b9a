/** Asks before what cannot be taken back, and says what it means; also the frame of every dialog with a form. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useContext, useEffect } from 'react'
import { ProblemAlert } from './problem-alert.tsx'
import { SessionOver } from './session-over.ts'

interface Props {
  readonly title: string
  readonly isOpen: boolean
  readonly action: string
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly size?: string
  readonly children?: ReactNode
  onClose(): void
  onConfirm(): void
}

export function Dialog({
  title,
  isOpen,
  action,
  isDangerous,
  isDisabled,
  isPending,
  error,
  size,
  children,
  onClose,
  onConfirm,
}: Props) {
  const isOver = useContext(SessionOver)
  useFocusReturned(isOpen)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onConfirm()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      closeOnEscape={!isOver} // Escape is meant for what stands above
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
      {...(size && { size })}
    >
      <form onSubmit={submit}>
        <Stack>
          {error && <ProblemAlert problem={error} />}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              color={isDangerous ? 'red' : undefined}
              loading={isPending}
              disabled={isDisabled ?? false}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Mantine returns it only where the dialog outlives its closing. */
function useFocusReturned(isOpen: boolean): void {
  useEffect(() => {
    const before = document.activeElement
    if (!isOpen || !(before instanceof HTMLElement)) return
    return () => before.focus({ preventScroll: true })
  }, [isOpen])
}
