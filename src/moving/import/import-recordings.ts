/** Recordings of any source as operations, by the options of the command and the answers of a person (specification 16.11, 16.15). */
import { bodyPathRule, isBodyPath } from '../../configuration/fields.ts'
import { primitiveTypes } from '../../model/document-template.ts'
import { isSecretName } from '../../model/secret-name.ts'
import { confirm, isTerminal } from '../../terminal/confirm.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { show } from '../../terminal/print.ts'
import { type ImportedRequests, importRequests } from './import-requests.ts'
import type { ImportedOperations } from './imported-operations.ts'
import type { ToldTypes } from './infer-templates.ts'
import type { Recordings } from './recording.ts'

export interface RecordingOptions {
  readonly service?: string
  /** Names of variables, separated by commas; false: not asked either. */
  readonly any?: string | false
  /** `EMPLID=Integer` */
  readonly type?: readonly string[]
  /** `/request/emplid` */
  readonly body?: readonly string[]
  readonly json?: boolean
}

export async function importRecordings(
  { recordings, leftOut = [], notices, problems }: Recordings,
  { service = 'IMPORTED', any, type = [], body = [], json }: RecordingOptions,
): Promise<ImportedRequests> {
  requireBodyPaths(body)
  const told = { service, types: readTypes(type), bodyPaths: body }
  const named = new Set(any ? any.split(',').map((name) => name.trim()) : [])
  const first = importRequests(recordings, { ...told, any: named }, leftOut)
  const asked = any === undefined && !json && isTerminal() ? await askForAny(first) : named
  const imported = asked === named ? first : importRequests(recordings, { ...told, any: asked }, leftOut)
  return {
    ...imported,
    notices: [...notices, ...imported.notices],
    problems: [...problems, ...imported.problems],
  }
}

function requireBodyPaths(paths: readonly string[]): void {
  for (const path of paths) {
    if (!isBodyPath(path)) throw new Failure(`--body ${show(path)} ${bodyPathRule}.`)
    if (isSecretName(path.split('/').at(-1)?.replace('@', '') ?? ''))
      throw new Failure(`--body ${show(path)} has the name of a credential, whose values are not written.`)
  }
}

function readTypes(texts: readonly string[]): ToldTypes {
  return new Map(
    texts.map((text) => {
      const [name = '', wanted = ''] = text.split('=')
      const type = primitiveTypes.find((known) => known === wanted)
      if (type && name !== '') return [name, type] as const
      throw new Failure(`--type ${show(text)} is not NAME=TYPE; types are ${primitiveTypes.join(', ')}.`)
    }),
  )
}

/** Once for each variable that has only its recorded values. */
async function askForAny({ operations }: ImportedOperations): Promise<ReadonlySet<string>> {
  const pinned = Map.groupBy(
    operations.flatMap((operation) => [...(operation.pinned ?? [])].map(([name, values]) => ({ name, values }))),
    ({ name }) => name,
  )
  const questions = [...pinned].map(([name, found]) => {
    const values = [...new Set(found.flatMap((one) => one.values))]
    const shown = values.slice(0, 5).map(show).join(', ') + (values.length > 5 ? ', …' : '')
    return `${show(name)} was recorded as ${shown}. Answer all other values, too?`
  })
  const answers = await confirm(questions)
  return new Set([...pinned.keys()].filter((_, at) => answers[at]))
}
