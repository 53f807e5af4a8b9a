/** The keys that work on every page; `keyboard-help.tsx` lists them. */
import { useEffect } from 'react'

interface Handlers {
  onPalette(): void
  onHelp(): void
}

export function useShortcuts({ onPalette, onHelp }: Handlers): void {
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const isPalette = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k'
      if (isPalette && document.querySelector('[role="dialog"]') === null) {
        event.preventDefault()
        onPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') onHelp()
      else if (event.key === '/') focusSearch(event)
    }
    addEventListener('keydown', handle)
    return () => removeEventListener('keydown', handle)
  }, [onPalette, onHelp])
}

/** Whether a key is input, as in a field or a dialog, and no shortcut. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [role="dialog"]') !== null
}

function focusSearch(event: KeyboardEvent): void {
  const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
  if (!search) return
  event.preventDefault()
  search.select()
}
