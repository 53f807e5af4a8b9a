/** A dialog that confirms an action or contains a form. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useContext, useEffect } from 'react'
import { ProblemAlert } from './problem-alert.tsx'
import { SessionEnded } from './session-ended.ts'
import { useToast } from './toast.tsx'

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
  const hasEnded = useContext(SessionEnded)
  useFocusReturned(isOpen)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onConfirm()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      closeOnEscape={!hasEnded} // Escape belongs to the sign-in dialog above
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

interface ChangeProps<Done, Input> extends Pick<Props, 'title' | 'action' | 'isDangerous' | 'onClose'> {
  readonly change: UseMutationResult<Done, Error, Input>
  readonly input: Input
  /** What follows from it. */
  readonly children: ReactNode
  says(done: Done): string
}

/** Asks before a change that needs no more input. */
export function ConfirmChange<Done, Input>({
  change,
  input,
  children,
  says,
  onClose,
  ...shown
}: ChangeProps<Done, Input>) {
  const { mutate, isPending, error, reset } = change
  const toast = useToast()
  const close = () => {
    reset()
    onClose()
  }
  const confirm = () =>
    mutate(input, {
      onSuccess(done) {
        close()
        toast(says(done))
      },
    })
  return (
    <Dialog {...shown} isOpen isPending={isPending} error={error} onClose={close} onConfirm={confirm}>
      <Text size="sm">{children}</Text>
    </Dialog>
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
