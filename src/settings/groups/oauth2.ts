/** Tokens: their operators, and the provider's keys. */
import { name, oneOf, port, url } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const oauth2 = {
  authorizationServer: {
    key: 'ig.AuthorizationServer',
    kind: name,
    help: 'the active OAuth2 service app',
    see: '3.16',
  },
  jsonWebKey: {
    key: 'ig.JSONWebKey',
    kind: url,
    help: "URL of the provider's public signing keys (jwks_uri)",
    see: '3.16',
  },
  userMapping: {
    key: 'ig.oauth.userMapping',
    kind: oneOf('sub+email', 'sub', 'email'),
    default: 'sub+email',
    help: 'the claims that name the operator',
    see: '3.13',
  },
  tokenKind: {
    key: 'ig.oauth.tokenKind',
    kind: oneOf('access', 'any'),
    default: 'access',
    help: 'any also accepts tokens that are not access tokens, such as ID tokens',
    see: '3.20',
  },
  privateAddresses: {
    key: 'ig.oauth.privateAddresses',
    kind: oneOf('allow', 'refuse'),
    default: 'allow',
    help: "allows the provider's keys and metadata at private or loopback addresses",
    see: '3.22',
  },
  sampleIssuerPort: {
    key: 'ig.sampleIssuer.port',
    option: '--issuer-port',
    kind: port,
    default: '8090',
    help: 'the sample OAuth2 issuer of ig dev',
  },
} as const satisfies Rows
