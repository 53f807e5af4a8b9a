/** The body, the answer and an example of the items of each list (specification 18.21). */
import { z } from 'zod'
import { type ListKey, listNames, lists, name, problem } from '../../../actions/schemas.ts'
import { idFieldOf } from '../../../configuration/canonical.ts'
import type { ListRow } from '../../../configuration/list-row.ts'
import { mapContributions } from '../../../features.ts'

/** Invalid values are saved too, so that an unfinished form is not lost. Only the fields of the id are required. */
export function bodyOf(list: ListKey) {
  const $ref = `#/components/schemas/${lists[list].title}Input`
  const message = 'must be a text of 1 to 60 characters, to tell it from others'
  const loose = z.record(z.string(), z.unknown()).superRefine((value, context) => {
    for (const key of list === 'operations' ? ['name', 'method'] : [idFieldOf(list)]) {
      const text = value[key]
      if (typeof text !== 'string' || text === '' || text.length > 60)
        context.addIssue({ code: 'custom', path: [key], message })
    }
  })
  return loose.meta({ allOf: [{ $ref }], description: 'May be invalid: it is saved, and its errors are reported' })
}

/** One component for each list. */
const answers = new Map(listNames.map((list) => [list, makeAnswer(list)]))

export function answerOf(list: ListKey): ReturnType<typeof makeAnswer> {
  return answers.get(list) ?? makeAnswer(list)
}

function makeAnswer(list: ListKey) {
  const $ref = `#/components/schemas/${lists[list].title}Input`
  return name(
    `Draft${lists[list].title}`,
    z.object({
      id: z.string().describe('The original id in the draft, also after renaming'),
      state: z.enum(['unchanged', 'added', 'changed', 'removed']),
      value: z.record(z.string(), z.unknown()).meta({ allOf: [{ $ref }] }),
      etag: z.string().describe('For If-Match, in quotation marks'),
      problems: z.array(problem).describe("Errors of this item alone; the draft's errors include them"),
    }),
  )
}

export const examples: Readonly<Record<ListKey, object>> = {
  nodes: { name: 'PARTNER', description: 'Calls of a partner' },
  documents: { name: 'ECHO_DOC', elements: { parameter1: { type: 'String', length: 100 } } },
  messages: { name: 'ECHO_TMPL', document: 'ECHO_DOC' },
  services: { name: 'ECHO', description: 'Sends back what it was sent' },
  operations: {
    service: 'ECHO',
    name: 'ECHO',
    method: 'GET',
    uriTemplates: ['echo'],
    handler: 'handlers/echo.ts',
  },
  permissionLists: { name: 'ECHO_ALL', services: ['ECHO'] },
  oauth2ServiceApps: { name: 'id.example.com', metadataUrl: 'https://id.example.com/.well-known/openid-configuration' },
  ...mapContributions('lists', ({ example }: ListRow) => example),
  limits: { name: 'operator', by: ['operator'], calls: 100, per: '1min' },
}
