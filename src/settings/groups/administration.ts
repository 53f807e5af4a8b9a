/** The listener of administration. */
import { addresses, file, host, list, matching, name, oneOf, portOrOff, providerUrl, yesOrNo } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const admin = {
  host: {
    key: 'ig.admin.host',
    kind: host,
    default: '127.0.0.1',
    help: 'address of administration; beyond loopback, TLS only',
    see: '18.1',
  },
  port: {
    key: 'ig.admin.port',
    option: '--admin-port',
    kind: portOrOff,
    default: '8081',
    help: 'port of administration; off disables it',
    see: '18.1',
  },
  allow: {
    key: 'ig.admin.allow',
    kind: addresses,
    help: 'addresses and networks that may use administration; unset: all',
    see: '28.10',
  },
  tls: {
    cert: {
      key: 'ig.admin.tls.cert',
      kind: file,
      help: 'PEM certificate chain: administration over TLS',
      see: '18.3',
    },
    key: { key: 'ig.admin.tls.key', kind: file, help: 'PEM private key of ig.admin.tls.cert', see: '18.3' },
  },
  passwords: {
    key: 'ig.admin.passwords',
    kind: yesOrNo('on', 'off'),
    default: 'on',
    help: 'off: administrators sign in with the identity provider only',
    see: '34.8',
  },
  secondFactor: {
    key: 'ig.admin.secondFactor',
    kind: oneOf('optional', 'required'),
    default: 'optional',
    help: 'required: administrators with a password must have a second factor',
    see: '34.24',
  },
  oidc: {
    issuer: {
      key: 'ig.admin.oidc.issuer',
      kind: providerUrl,
      help: 'issuer of the OpenID Connect provider that administrators sign in with',
      see: '34.1',
    },
    clientId: { key: 'ig.admin.oidc.clientId', kind: name, help: 'client ID of the gateway there', see: '34.1' },
    clientSecret: {
      key: 'ig.admin.oidc.clientSecret',
      kind: matching('the secret', /^\S+$/),
      help: 'its client secret; unset: a public client',
      see: '34.1',
      isSecret: true,
    },
    scopes: {
      key: 'ig.admin.oidc.scopes',
      kind: matching('scopes with openid, with spaces between them', /^(?=(?:.* )?openid(?: |$))\S+(?: \S+)*$/),
      default: 'openid email',
      help: 'scopes that the gateway requests',
      see: '34.1',
    },
    nameClaim: {
      key: 'ig.admin.oidc.nameClaim',
      kind: name,
      default: 'email',
      help: 'claim with the name of a new administrator',
      see: '34.3',
    },
    roleClaim: {
      key: 'ig.admin.oidc.roleClaim',
      kind: name,
      default: 'groups',
      help: 'claim with the values that give a role; realm_access.roles is a nested claim',
      see: '34.2',
    },
    administrators: {
      key: 'ig.admin.oidc.administrators',
      kind: list,
      help: 'values that give the role administrator',
      see: '34.2',
    },
    operators: { key: 'ig.admin.oidc.operators', kind: list, help: 'values that give the role operator', see: '34.2' },
    viewers: { key: 'ig.admin.oidc.viewers', kind: list, help: 'values that give the role viewer', see: '34.2' },
    label: {
      key: 'ig.admin.oidc.label',
      kind: name,
      default: 'Sign in with single sign-on',
      help: 'text of the button on the sign-in page',
      see: '34.1',
    },
  },
} as const satisfies Rows
