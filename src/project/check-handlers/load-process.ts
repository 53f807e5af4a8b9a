/**
 * The process that loads modules of a draft: it has no environment, and Node restricts what it can read (specification
 * 18.37).
 */

import type { Problem } from '../../model/problem.ts'
import { loadReferences } from '../open-project.ts'
import type { FromLoading, ToLoad } from './messages.ts'

const sendToParent = process.send?.bind(process) // before a module can replace it
const send = (message: FromLoading) => void sendToParent?.(message)

process.once('disconnect', () => process.exit())

process.once('message', async ({ folder, references }: ToLoad) => {
  const problems: Problem[] = []
  const report = (more: readonly Problem[]) => void problems.push(...more)
  await loadReferences(folder, references, report, (place) => send({ place, problems }))
  send({ problems })
})
