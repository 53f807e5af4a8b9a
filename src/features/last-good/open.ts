/** The feature in a process: every one of `ig start` reads the copy, and one of an instance writes it. */
import type { FeatureContext, OpenFeature } from '../../feature.ts'
import { isPostgres } from '../../store/is-postgres.ts'
import { describeCopy } from './describe-copy.ts'
import { keepCopy } from './keep-copy.ts'
import { openStoreOrCopy } from './open-store-or-copy.ts'

export function open({
  settings,
  worker = 1,
  servesCalls,
  isDevelopment,
  observe,
}: FeatureContext): OpenFeature | undefined {
  if (isDevelopment || !settings.secretKey || !isPostgres(settings.database)) return undefined
  const copy = servesCalls && worker === 1 ? keepCopy(settings, observe) : undefined
  return {
    openStore: (opening) => openStoreOrCopy(settings, opening),
    onStoreRead: (snapshot) => copy?.note(() => describeCopy(snapshot)),
    close: async () => copy?.close(),
  }
}
