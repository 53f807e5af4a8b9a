/**
 * Keeps the sample issuer across replaced processes: it runs while the project registers it, with the newest clients
 * (specification 14.4).
 */
import type { Settings } from '../../settings.ts'
import { openSampleIssuer, type SampleIssuer, type SampleIssuerClient } from './sample-issuer.ts'

export interface KeptIssuer {
  /** @param clients undefined: the project needs no issuer */
  keep(clients: readonly SampleIssuerClient[] | undefined): Promise<SampleIssuer | undefined>
  close(): Promise<void>
}

export function keepIssuer({ sampleIssuerPort }: Settings): KeptIssuer {
  let opening: Promise<SampleIssuer> | undefined
  return {
    async keep(clients) {
      if (!clients) return undefined
      if (!opening) {
        opening = openSampleIssuer({ host: '127.0.0.1', port: sampleIssuerPort, operators: clients })
        opening.catch(() => {
          opening = undefined
        })
        return opening
      }
      const issuer = await opening
      issuer.replaceOperators(clients)
      return issuer
    },
    async close() {
      const issuer = await opening?.catch(() => undefined)
      await issuer?.close()
    },
  }
}
