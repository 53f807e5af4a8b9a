/** The URL of administration, as its messages and links have it (specification 18.1). */
import type { AdminSettings } from '../settings.ts'

export function adminUrl({ host, tls }: AdminSettings, port: number): string {
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
