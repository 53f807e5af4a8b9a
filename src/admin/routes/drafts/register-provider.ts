/** An identity provider joins a draft by its metadata URL alone (specification 18.26). */
import { z } from 'zod'
import { fetchedUrl, lists, name } from '../../../actions/schemas.ts'
import { itemSchemas } from '../../../configuration/configuration.ts'
import { route } from '../../route.ts'
import { readMetadata } from '../configuration.ts'
import { byDraft } from './draft-answer.ts'
import { add } from './edit-item.ts'
import { answerOf } from './item-schemas.ts'

export const providerRegistrationRoutes = [
  route({
    operationId: 'addDraftOAuth2ServiceAppFromMetadata',
    done: 'Registered an OAuth2 service app',
    tag: lists.oauth2ServiceApps.tag,
    summary: 'Register an identity provider by its metadata URL',
    description: 'Fetches issuer and endpoints and saves them to the draft. The default name is the name of the host.',
    method: 'POST',
    path: '/api/drafts/:draft/oauth2-service-apps/from-metadata',
    access: 'administrator',
    params: byDraft,
    body: name(
      'ServiceAppRegistration',
      z.object({
        metadataUrl: fetchedUrl,
        name: itemSchemas.oauth2ServiceApps.unwrap().shape.name.optional(),
        audience: z.array(z.string().min(1)).optional().describe('A token must contain at least one'),
      }),
    ),
    example: { metadataUrl: 'https://id.example.com/.well-known/openid-configuration' },
    answer: answerOf('oauth2ServiceApps'),
    status: 201,
    hasEtag: true,
    problems: ['managedByFiles', 'conflict', 'metadataUnusable'],
    async handle(input) {
      const { jwksUri: _, ...metadata } = await readMetadata(input.body.metadataUrl, input)
      const value = { name: new URL(metadata.issuer).host, ...metadata, ...input.body }
      return add('oauth2ServiceApps', input, input.params.draft, JSON.parse(JSON.stringify(value)))
    },
  }),
]
