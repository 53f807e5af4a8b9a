/** The operation that a URL names, known or not (specification 36.21, 40.3). */

import { operationIdOf, splitVersion } from './operation-name.ts'

/** `JOB_GET.v1`, or the URL's path. */
export function nameOfCall({ method, url }: { readonly method: string; readonly url: string }): string {
  const segment = findSegment(url)
  return segment === undefined ? serviceOf(url) : operationIdOf({ ...splitVersion(segment), method })
}

/** `JOB.v1`, or the URL's path. */
export function serviceOf(url: string): string {
  return findSegment(url) ?? url.split('?', 1)[0] ?? ''
}

function findSegment(url: string): string | undefined {
  const [path = ''] = url.split('?', 1)
  return /\/RESTListeningConnector\/[^/]+\/([^/;]+)/.exec(path)?.[1]
}
