/** The OAuth2 service apps of a configuration (specification 3.16, 31.4). */
import { z } from 'zod'
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

/**
 * An identity provider: by the URL of its metadata document, or by the fields of that document. `{env:IDP_URL}` in a text is
 * the environment variable `IDP_URL` of the gateway that serves it.
 */
export const oauth2ServiceApp = strictObject({
  /** The name that `ig.AuthorizationServer` refers to. */
  name: z
    .string()
    .regex(/^[^\s\p{C}](?:[^\p{C}]{0,58}[^\s\p{C}])?$/u, 'must be 1 to 60 characters, without white space around'),
  description: z.string().optional(),
  /** The provider's metadata document; replaces the next three fields. */
  metadataUrl: url.optional(),
  /** The `iss` of tokens. */
  issuer: url.optional(),
  authorizationEndpoint: url.optional(),
  tokenEndpoint: url.optional(),
  /** The token's `aud` must contain one of these. If left out, `aud` is not checked. */
  audience: z.array(z.string()).min(1, 'must have at least one value, or be left out').readonly().optional(),
  /** The token's `scp` or `scope` must contain all of these. If left out, scopes are not checked. */
  scopes: z.array(z.string()).min(1, 'must have at least one value, or be left out').readonly().optional(),
})
