/** Opens a file whose content can be recreated: a damaged one is renamed and replaced (specification 23.5). */
import type { Observe } from '../../model/observation.ts'
import { StoreUnavailable } from '../faults.ts'
import { examineFile, isDamage, setAside } from './files.ts'

export interface RebuildOptions {
  /** Absent if a damaged file must not be renamed: only the serving process repairs it. */
  readonly observe?: Observe | undefined
  readonly isDamaged?: boolean
}

export async function openRebuildable<T>(
  file: string,
  open: () => Promise<T>,
  { observe, isDamaged = false }: RebuildOptions,
): Promise<T> {
  let damage = isDamaged ? 'a statement failed on the damaged part' : examineFile(file)
  if (damage === undefined) {
    try {
      return await open()
    } catch (error) {
      const cause = error instanceof StoreUnavailable ? error.cause : error
      if (!isDamage(cause)) throw error
      damage = cause.message
    }
  }
  if (!observe)
    throw new StoreUnavailable(`${file} is damaged: ${damage}. The gateway creates a new one when it starts`)
  const message = `${file} is damaged: ${damage}. It was renamed to ${setAside(file, 'damaged')}, and a new one was created.`
  observe({ kind: 'event', level: 'warning', name: 'fileSetAside', message })
  return open()
}
