/** The verification by session token (specification 27.1, 27.2). The console reads this file too. */
import type { ModeRow, TlsRow } from '../../model/mode-row.ts'

const sessionToken = (place: 'header' | 'cookie') => ({
  type: 'apiKey',
  in: place,
  name: 'PS_TOKEN',
  description: 'A session token of this gateway. After a 401, sign in again.',
})

export const sessionTokens = {
  Token: {
    meaning: 'session token (PS_TOKEN)',
    words: 'a session token',
    strength: 2,
    refusal: 'sessionTokenRejected',
    header: 'ps_token',
    cookie: 'PS_TOKEN',
    isSentByBrowsers: true,
    issuedBy: 'gateway',
    variable: 'IG_HEALTHCHECK_SESSION_TOKEN',
    securitySchemes: () => ({ sessionToken: sessionToken('header'), sessionTokenCookie: sessionToken('cookie') }),
    curl: ({ token = '$TOKEN' } = {}) => `-H "PS_TOKEN: ${token}"`,
  },
  TokenSSL: { overTls: 'Token' },
} as const satisfies Readonly<Record<string, ModeRow | TlsRow>>
