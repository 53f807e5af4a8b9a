/** A message after a change: shown for some seconds, and announced to screen readers. */
import { Notification } from '@mantine/core'
import { useIsMutating } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const Context = createContext<{ readonly message: string; toast(message: string): void }>({
  message: '',
  toast: () => {},
})

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [message, toast] = useState('')
  return <Context value={{ message, toast }}>{children}</Context>
}

export function useToast(): (message: string) => void {
  return useContext(Context).toast
}

export function Toast() {
  const { message, toast } = useContext(Context)
  const isWorking = useIsMutating() > 0
  useEffect(() => {
    if (isWorking) toast('') // the next change makes the message stale
  }, [isWorking, toast])
  useEffect(() => {
    if (message === '') return
    const timer = setTimeout(() => toast(''), 6000)
    return () => clearTimeout(timer)
  }, [message, toast])
  return (
    <div role="status" style={{ position: 'fixed', bottom: 88, right: 16, zIndex: 400, maxWidth: '90vw' }}>
      {message !== '' && (
        <Notification withBorder onClose={() => toast('')} closeButtonProps={{ 'aria-label': 'Close' }}>
          {message}
        </Notification>
      )}
    </div>
  )
}
