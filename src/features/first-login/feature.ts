/** Passwords of the gateway that this one replaces: its digests, and first logins. README.md has the rules. */
import { digests } from './digests.ts'
import { checkSettings, settings } from './settings.ts'

export const firstLogin = {
  settings: { 'Old passwords': { passwords: settings } },
  checkSettings,
  passwords: async () => (await import('./open.ts')).openFirstLogin,
  passwordForms: { passwordSha1Utf16le: digests },
} as const
