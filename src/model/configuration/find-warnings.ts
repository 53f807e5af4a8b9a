/**
 * Parts of a valid configuration that are probably mistakes; it is served all the same (specification 2.14, 3.21,
 * 18.36).
 */

import type { Problem } from '../problem.ts'
import type { Configuration } from './configuration.ts'
import { findForeignModules } from './handler-folders.ts'
import { isOfSampleIssuer } from './sample-issuer.ts'

export function findWarnings(
  configuration: Configuration,
  { handlerFolders }: { readonly handlerFolders: readonly string[] },
): readonly Problem[] {
  return [
    ...findIdleDocuments(configuration),
    ...findMissingAudiences(configuration),
    ...findForeignModules(configuration, handlerFolders),
  ]
}

function findIdleDocuments({ operations }: Configuration): readonly Problem[] {
  return operations.flatMap(({ documentTemplate, uriTemplates }, index) => {
    if (documentTemplate === undefined || uriTemplates.some((source) => source.includes('{'))) return []
    const message =
      'has no effect: no URI template has a variable for it. Leave it out, or name an element in a template'
    return [{ path: `operations[${index}].documentTemplate`, message }]
  })
}

/** The sample issuer issues tokens only for the gateway. */
function findMissingAudiences({ oauth2ServiceApps }: Configuration): readonly Problem[] {
  return oauth2ServiceApps.flatMap(({ audience, issuer, metadataUrl }, index) => {
    if (audience !== undefined || isOfSampleIssuer(issuer ?? metadataUrl)) return []
    const message =
      'is missing: any access token of this provider is accepted, even one for another API. Set the audience of this gateway'
    return [{ path: `oauth2ServiceApps[${index}].audience`, message }]
  })
}
