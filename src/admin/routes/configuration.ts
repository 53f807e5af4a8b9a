/** The active configuration, read-only; drafts change it (specification 18.19, 18.20). */

import { z } from 'zod'
import { AdminProblem, notFound } from '../../actions/problem-details.ts'
import {
  change,
  cutPage,
  fetchedUrl,
  type ListKey,
  listNames,
  lists,
  name,
  pageOf,
  sorted,
} from '../../actions/schemas.ts'
import { idOf } from '../../configuration/canonical.ts'
import { itemSchemas } from '../../configuration/configuration.ts'
import { diffSteps } from '../../configuration/diff-configurations.ts'
import { asFetchFailure } from '../../verification/fetch-failure.ts'
import { completeServiceApp } from '../../verification/oauth2/service-app.ts'
import { inTurn } from '../in-turn.ts'
import { type Input, type Route, route } from '../route.ts'

export const managedBy = name(
  'ManagedBy',
  z.enum(['files', 'revisions']),
  'files: read-only here; revisions: changed by drafts',
)

const search = sorted.extend({ search: z.string().optional().describe('Part of id or description, case-insensitive') })
const ofOperations = search.extend({
  service: z.string().optional(),
  method: z.string().optional(),
  verification: z.string().optional(),
})

export const configurationRoutes = [
  ...listNames.flatMap((list) => routesOf(list)),
  route({
    operationId: 'getDrift',
    tag: 'Revisions',
    summary: 'Differences between the project files and the active revision',
    description: 'Compares the files as read at startup. ig drift reads the current ones.',
    method: 'GET',
    path: '/api/drift',
    access: 'viewer',
    answer: name(
      'Drift',
      z.object({ managedBy, revision: z.int().nullable(), hasDrift: z.boolean(), changes: z.array(change) }),
    ),
    problems: ['overloaded'],
    async handle({ parts }) {
      const { configuration, revision = null } = parts.catalog()
      const changes = parts.revisions ? await inTurn(diffSteps(configuration, parts.files, shown)) : []
      const by = parts.revisions ? ('revisions' as const) : ('files' as const)
      return { body: { managedBy: by, revision, hasDrift: changes.length > 0, changes } }
    },
  }),
  route({
    operationId: 'readServiceAppMetadata',
    done: "Fetched an identity provider's metadata",
    tag: lists.oauth2ServiceApps.tag,
    summary: "Fetch an identity provider's metadata document",
    description: 'Returns the values that complete a service app with only this metadata URL. Changes nothing.',
    method: 'POST',
    path: '/api/oauth2-service-apps/metadata',
    access: 'administrator',
    body: name('MetadataRequest', z.object({ metadataUrl: fetchedUrl })),
    example: { metadataUrl: 'https://id.example.com/.well-known/openid-configuration' },
    answer: name(
      'ServiceAppMetadata',
      z.object({
        issuer: z.string(),
        authorizationEndpoint: z.string().optional(),
        tokenEndpoint: z.string().optional(),
        jwksUri: z.string().optional().describe('Its signing keys, for ig.JSONWebKey'),
      }),
    ),
    problems: ['metadataUnusable'],
    handle: async (input) => ({ body: await readMetadata(input.body.metadataUrl, input) }),
  }),
]

type AuditInput = Pick<Input<unknown, unknown, unknown>, 'parts' | 'audit'>

/**
 * Every attempt is audited, because the gateway reaches networks that the administrator may not.
 * @throws AdminProblem `metadataUnusable`
 */
export async function readMetadata(metadataUrl: string, { parts, audit }: AuditInput) {
  const { origin, pathname } = new URL(metadataUrl)
  const subject = `metadata of ${origin}${pathname}` // without the query, which may contain a secret
  const outcome = await fetchMetadata(metadataUrl, parts)
  const { metadata } = outcome
  await audit({ subject, after: metadata ? { issuer: metadata.issuer } : { failure: outcome.failure } })
  if (metadata) return metadata
  throw new AdminProblem('metadataUnusable', outcome.failure, { problems: outcome.problems })
}

async function fetchMetadata(metadataUrl: string, { settings }: AuditInput['parts']) {
  try {
    const completion = await completeServiceApp({ name: 'metadata', metadataUrl }, settings)
    if ('app' in completion) {
      const { issuer, authorizationEndpoint, tokenEndpoint } = completion.app
      return { metadata: { issuer, authorizationEndpoint, tokenEndpoint, jwksUri: completion.jwksUri } }
    }
    const problems = completion.problems.map(({ message }) => ({ path: 'metadataUrl', message }))
    return { failure: `metadataUrl ${problems[0]?.message}.`, problems }
  } catch (error) {
    return { failure: `Could not fetch the document: ${asFetchFailure(error).message}.`, problems: [] }
  }
}

function routesOf(list: ListKey): readonly Route[] {
  const { path, title, tag } = lists[list]
  const schema = itemSchemas[list] as z.ZodType
  const item = name(
    `${title}Entry`,
    z.object({ id: z.string(), managedBy, value: schema }),
    'An item of the active configuration',
  )
  const entry = (parts: Parameters<Route['handle']>[0]['parts'], value: object) => {
    return { id: idOf(list, value), managedBy: parts.revisions ? ('revisions' as const) : ('files' as const), value }
  }
  return [
    route({
      operationId: `list${title}s`,
      tag,
      summary: 'List items of the active configuration by id',
      method: 'GET',
      path: `/api/${path}`,
      access: 'viewer',
      query: list === 'operations' ? ofOperations : search,
      answer: pageOf(item),
      hasEtag: true,
      async handle({ parts, query }) {
        const { configuration, revision = 'files' } = parts.catalog()
        const { search, ...filter } = query as z.output<typeof ofOperations>
        const wanted = search?.toLowerCase()
        const found = configuration[list]
          .map((value) => entry(parts, value))
          .filter(({ id, value }) => {
            const fields = value as unknown as Readonly<Record<string, unknown>>
            const isFound = wanted === undefined || `${id} ${fields.description ?? ''}`.toLowerCase().includes(wanted)
            const { service, method, verification } = filter
            return (
              isFound &&
              Object.entries({ service, method, verification }).every(
                ([key, is]) => is === undefined || fields[key] === is,
              )
            )
          })
          .sort((a, b) => (a.id < b.id ? -1 : 1))
        return { body: cutPage(found, query), ...(revision !== 'files' && { etag: `revision-${revision}` }) }
      },
    }),
    route({
      operationId: `get${title}`,
      tag,
      summary: 'Get an item of the active configuration',
      method: 'GET',
      path: `/api/${path}/:id`,
      access: 'viewer',
      params: z.object({ id: z.string() }),
      answer: item,
      async handle({ parts, params }) {
        const value = parts.catalog().configuration[list].find((candidate) => idOf(list, candidate) === params.id)
        if (!value) throw notFound(`${title} ${params.id}`)
        return { body: entry(parts, value) }
      },
    }),
  ]
}

/** What ten thousand added items contain is megabytes. */
export const shown = { described: 100 }
