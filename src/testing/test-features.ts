/** What the features add to the gateway of a test. */
import { loadContributions } from '../feature.ts'
import type { features, IntersectionOf } from '../features.ts'
import type { Gateway } from '../gateway.ts'
import type { Observation } from '../model/observation.ts'

type Features = typeof features
export type TestFeatures = IntersectionOf<
  {
    [Name in keyof Features]: Features[Name] extends {
      readonly testing: () => Promise<(...given: never[]) => infer Part>
    }
      ? Part
      : never
  }[keyof Features]
>

export async function openTestFeatures(gateway: Gateway, observations: readonly Observation[]): Promise<TestFeatures> {
  return Object.assign(
    {},
    ...(await loadContributions('testing')).map((open) => open(gateway, observations)),
  ) as TestFeatures
}
