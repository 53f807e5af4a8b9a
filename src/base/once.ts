/** Whether something comes for the first time of an object, which is not kept alive by that. */
export type Once = (object: object, what: string) => boolean

export function openOnce(): Once {
  const seen = new WeakMap<object, Set<string>>()
  return (object, what) => {
    const known = seen.get(object) ?? new Set()
    const isFirst = !known.has(what)
    seen.set(object, known.add(what))
    return isFirst
  }
}
