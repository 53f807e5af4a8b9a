/** What the features add to the gateway of a test. */
import { listedFeatures } from '../feature.ts'
import type { All, features } from '../features.ts'
import type { Gateway } from '../gateway.ts'
import type { Observation } from '../model/observation.ts'

type Features = typeof features
export type TestFeatures = All<
  {
    [Name in keyof Features]: Features[Name] extends {
      readonly testing: () => Promise<(...given: never[]) => infer Part>
    }
      ? Part
      : never
  }[keyof Features]
>

export async function openTestFeatures(gateway: Gateway, observations: readonly Observation[]): Promise<TestFeatures> {
  const opening = Object.values(listedFeatures).map(async ({ testing }) => (await testing?.())?.(gateway, observations))
  return Object.assign({}, ...(await Promise.all(opening))) as TestFeatures
}
