/** What was done, said in passing and to screen readers. */
import { Notification } from '@mantine/core'
import { useIsMutating } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const Context = createContext<{ readonly said: string; say(text: string): void }>({ said: '', say: () => {} })

export function SayProvider({ children }: { readonly children: ReactNode }) {
  const [said, say] = useState('')
  return <Context value={{ said, say }}>{children}</Context>
}

export function useSay(): (text: string) => void {
  return useContext(Context).say
}

export function Said() {
  const { said, say } = useContext(Context)
  const isWorking = useIsMutating() > 0
  useEffect(() => {
    if (isWorking) say('') // what is done next makes it old
  }, [isWorking, say])
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => say(''), 6000)
    return () => clearTimeout(timer)
  }, [said, say])
  return (
    <div role="status" style={{ position: 'fixed', bottom: 88, right: 16, zIndex: 400, maxWidth: '90vw' }}>
      {said !== '' && (
        <Notification withBorder onClose={() => say('')} closeButtonProps={{ 'aria-label': 'Close' }}>
          {said}
        </Notification>
      )}
    </div>
  )
}
