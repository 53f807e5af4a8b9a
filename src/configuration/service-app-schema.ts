/** The OAuth2 service apps of a configuration (specification 3.16, 31.4). */
import { z } from 'zod'
import { description } from './fields.ts'
import { strictObject } from './schema.ts'

/** Or one that gets its value from the environment: `{env:IDP_URL}/authorize`. */
const url = z
  .string()
  .refine((text) => hasVariable(text) || isHttpUrl(text), 'must be a URL that begins with http:// or https://')
export function hasVariable(text: string): boolean {
  return /\{env:[^}]*\}/.test(text)
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
}

const texts = z.array(z.string()).min(1, 'must have at least one value, or be left out').readonly()

/**
 * An identity provider: by the URL of its metadata document, or by the fields of that document. `{env:IDP_URL}` in a text is
 * the environment variable `IDP_URL` of the gateway that serves it.
 */
export const oauth2ServiceApp = strictObject({
  name: z
    .string()
    .regex(/^[^\s\p{C}](?:[^\p{C}]{0,58}[^\s\p{C}])?$/u, 'must be 1 to 60 characters, without white space around')
    .meta({ title: 'Name', description: 'The name to set in `ig.AuthorizationServer`' }),
  description,
  metadataUrl: url.optional().meta({
    title: 'Metadata URL',
    description:
      'Such as https://id.example.com/.well-known/openid-configuration. Sufficient on its own: the gateway fetches issuer and endpoints from it',
  }),
  issuer: url.optional().meta({ title: 'Issuer', description: 'The `iss` of tokens' }),
  authorizationEndpoint: url.optional().meta({ title: 'Authorization endpoint' }),
  tokenEndpoint: url.optional().meta({ title: 'Token endpoint' }),
  audience: texts.optional().meta({
    title: 'Audience',
    description: 'The `aud` of a token must contain at least one. If left out, `aud` is not checked',
    'x-form': {
      missing:
        'Warning: without an audience, every access token of this provider is accepted, even one issued for another API',
    },
  }),
  scopes: texts.optional().meta({
    title: 'Scopes',
    description: 'The `scp` or `scope` of a token must contain all. If left out, scopes are not checked',
  }),
})
