/** The operation that a URL names, known or not (specification 36.21, 40.3). */

/** `JOB_GET.v1` */
export function nameOfCall({ method, url }: { readonly method: string; readonly url: string }): string {
  return serviceOf(url).replace(/(?=\.v\d+$)/, `_${method}`)
}

/** `JOB.v1`, or the URL's path. */
export function serviceOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return /\/RESTListeningConnector\/[^/]+\/([^/;]+)/.exec(path)?.[1] ?? path
}
