/** Choices that this browser keeps, followed by all of its tabs. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('storage', listener) // of other tabs
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

/** An empty text removes the choice. */
export function keep(key: string, text: string): void {
  if (text === '') localStorage.removeItem(key)
  else localStorage.setItem(key, text)
  for (const listener of listeners) listener()
}

export function useKept(key: string): string {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? '')
}

/** What another version of the console kept may have another form: then it is as if nothing were kept. */
export function parseKept<Kept>(text: string, isKept: (value: unknown) => value is Kept): Kept | undefined {
  if (text === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isKept(value) ? value : undefined
  } catch {
    return undefined
  }
}
