/**
 * Runs the sample issuer at another port: rewrites every URL of the project that points to it (specification 9.15,
 * 9.16).
 */
import type { Configuration } from '../../configuration/configuration.ts'
import { isOfSampleIssuer, sampleIssuerUrl } from '../../configuration/sample-issuer.ts'
import type { Settings } from '../../settings.ts'

/** Whether a service app of the configuration is the sample issuer. */
export function usesSampleIssuer({ oauth2ServiceApps }: Configuration): boolean {
  return oauth2ServiceApps.some(({ issuer, metadataUrl }) => isOfSampleIssuer(issuer) || isOfSampleIssuer(metadataUrl))
}

/** @param issuer its actual URL: `http://127.0.0.1:9090` */
export function moveSampleIssuer<S extends Pick<Settings, 'jsonWebKey'>>(
  project: { readonly configuration: Configuration; readonly settings: S },
  issuer: string,
): { readonly configuration: Configuration; readonly settings: S } {
  const { configuration, settings } = project
  const move = (url: string | undefined) =>
    url !== undefined && isOfSampleIssuer(url) ? issuer + url.slice(sampleIssuerUrl.length) : url
  const oauth2ServiceApps = configuration.oauth2ServiceApps.map((app) => ({
    ...app,
    metadataUrl: move(app.metadataUrl),
    issuer: move(app.issuer),
    authorizationEndpoint: move(app.authorizationEndpoint),
    tokenEndpoint: move(app.tokenEndpoint),
  }))
  return {
    configuration: { ...configuration, oauth2ServiceApps },
    settings: { ...settings, jsonWebKey: move(settings.jsonWebKey) },
  }
}
