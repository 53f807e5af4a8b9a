/** What features add to the console. Deleting a feature's row here, and its folder, leaves a console. */
import { jobs } from './features/jobs/feature.ts'
import { standIns } from './features/stand-ins/feature.ts'
import { webhooks } from './features/webhooks/feature.ts'
import type { Page } from './page.ts'

export const featurePages: readonly Page[] = [...jobs.pages, ...webhooks.pages]
export const featureLists = { ...jobs.lists }
export const featureColumns = { ...jobs.columns }
/** Fields that an operation may have instead of a handler → what the editor says of such an operation. */
export const handlerFields: Readonly<Record<string, string>> = { ...standIns.handlerFields }
/** States of operations in the adoption report. */
export const substituteStates = { ...standIns.states }
