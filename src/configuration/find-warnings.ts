/**
 * Parts of a valid configuration that are probably mistakes; it is served all the same (specification 2.14, 2.31, 3.3,
 * 3.21, 18.36, 26.2).
 */

import { parseSize, parseTime } from '../base/units.ts'
import { operationIdOf } from '../model/operation-name.ts'
import type { Problem } from '../model/problem.ts'
import { verificationOf } from '../model/verification.ts'
import type { Limits } from '../settings.ts'
import type { Configuration } from './configuration.ts'
import { findForeignModules } from './handler-folders.ts'
import { isOfSampleIssuer } from './sample-issuer.ts'

export function findWarnings(
  configuration: Configuration,
  { handlerFolders, limits }: WarningSettings,
): readonly Problem[] {
  return [
    ...findUnpermitted(configuration),
    ...findIdleDocuments(configuration),
    ...findMissingAudiences(configuration),
    ...findIdleKeys(configuration),
    ...findForeignModules(configuration, handlerFolders),
    ...(limits ? findIdleLimits(configuration, limits) : []),
  ]
}

interface WarningSettings {
  readonly handlerFolders: readonly string[]
  readonly limits?: Pick<Limits, 'handlerTimeout' | 'maxBodyBytes'>
}

/** An operation without verification needs a list too, which the default user must hold. */
function findUnpermitted({ operations, permissionLists }: Configuration): readonly Problem[] {
  const permitted = new Set(permissionLists.flatMap((list) => [...list.services, ...list.operations]))
  return operations.flatMap((operation, index) => {
    const id = operationIdOf(operation)
    if (!operation.isActive || permitted.has(operation.service) || permitted.has(id)) return []
    const message = `may be called by no one: no permission list has ${id} or its service ${operation.service}`
    return [{ path: `operations[${index}]`, message }]
  })
}

/** Limits belong to a process, the configuration to all of them: the lower one counts. */
function findIdleLimits({ operations }: Configuration, limits: NonNullable<WarningSettings['limits']>): Problem[] {
  return operations.flatMap(({ timeout, bodyLimit }, index) => {
    const rows = [
      ['timeout', timeout, parseTime(timeout ?? ''), limits.handlerTimeout, 'ig.limits.handlerTimeout'],
      ['bodyLimit', bodyLimit, parseSize(bodyLimit ?? ''), limits.maxBodyBytes, 'ig.limits.body'],
    ] as const
    return rows.flatMap(([field, text, stated, limit, key]) => {
      if (stated === undefined || stated <= limit) return []
      const message = `has no effect: ${text} is more than ${key} allows. Lower it, or raise ${key}`
      return [{ path: `operations[${index}].${field}`, message }]
    })
  })
}

function findIdleKeys({ operations }: Configuration): readonly Problem[] {
  return operations.flatMap(({ method, verification, idempotency }, index) => {
    const path = `operations[${index}].idempotency`
    if (idempotency === undefined || idempotency === 'off') return []
    if (method === 'GET' || method === 'HEAD')
      return [{ path, message: `has no effect: a ${method} can be repeated without a key. Leave it out` }]
    if (idempotency === 'accepted' || !verificationOf(verification).allowsAnonymous) return []
    return [{ path, message: `has no effect on calls without credentials, which ${verification} allows` }]
  })
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
