/** The closed sets that configuration and pipeline share: methods, verifications, error styles (specification 2). */

export const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD'] as const
export type Method = (typeof methods)[number]

export const verifications = [
  'NONE',
  'Basic',
  'OAuth2',
  'SSL',
  'BasicSSL',
  'OAuth2SSL',
  'Token',
  'TokenSSL',
  'Certificate',
] as const
export type Verification = (typeof verifications)[number]

export const errorStyles = ['observed', 'standard'] as const
export type ErrorStyle = (typeof errorStyles)[number]
