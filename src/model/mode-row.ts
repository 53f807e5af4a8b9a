/** The row of a mode, which is a way to verify callers; or of the same mode over TLS only. */
import type { RefusalCode } from './refusal.ts'

export interface ModeRow {
  /** What callers send, for a person who chooses the mode. */
  readonly meaning: string
  /** The credentials, in a sentence. */
  readonly words: string
  /** An import that finds several modes gives the operation the strongest one. */
  readonly strength: number
  /** Calls without credentials run as the default user. */
  readonly allowsAnonymous?: true
  /** Checks the credentials that a call has although its operation allows anonymous calls; only for `Authorization`. */
  readonly checksOptionalCredentials?: true
  /** The code that refuses a call without valid credentials. */
  readonly refusal?: RefusalCode
  /** The request header that carries the credentials; without one, the connection does. */
  readonly header?: string
  /** In that header, before the credentials. */
  readonly scheme?: string
  /** Carries them instead of the header. */
  readonly cookie?: string
  /** Browsers add the credentials to the calls of every page. */
  readonly isSentByBrowsers?: true
  /** Operator id and password. */
  readonly isPassword?: true
  /** Who issues tokens: the provider of `ig.AuthorizationServer`, or this gateway, with `ig.secretKey`. */
  readonly issuedBy?: 'provider' | 'gateway'
  /** Types of security schemes of OpenAPI and of authorizations of Postman that mean it. */
  readonly declaredAs?: readonly string[]
  /** The environment variable from which `ig healthcheck` reads them. */
  readonly variable?: string
  /** The security schemes of an OpenAPI document, by name. @param issuer the issuer of access tokens, if it is known */
  securitySchemes(issuer: string | undefined): Readonly<Record<string, object>>
  /** Arguments of `curl`, with placeholders for what is not given. */
  curl(given?: CurlSecrets): string
}

export interface CurlSecrets {
  /** Operator id and password, quoted for a shell. */
  readonly user?: string | undefined
  readonly token?: string | undefined
}

/** The same as another mode, over TLS only. */
export interface TlsRow {
  readonly overTls: string
}
