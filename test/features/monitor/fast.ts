/** A monitor that stores ten times a second what it keeps, for tests that wait for it. */
import type { FeatureContext, OpenFeature } from '../../../src/feature.ts'
import { open, openMonitor } from '../../../src/features/monitor/open.ts'

// Ten batches wait at most: with shorter ones a busy machine's disk, slow for a moment, would lose calls that a test waits for
export const fast = {
  monitor(context: FeatureContext): OpenFeature {
    const { settings, observe } = context
    return settings.monitor.isOn ? openMonitor({ settings, observe, every: 100 }) : open(context)
  },
}
