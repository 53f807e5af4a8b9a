/** What features add to the console. Deleting a feature's row here, and its folder, leaves a console. */
import { jobs } from './features/jobs/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import type { Page } from './page.ts'

export const featurePages: readonly Page[] = [...jobs.pages, ...webhooks.pages]
export const featureLists = { ...jobs.lists }
export const featureColumns = { ...jobs.columns }
