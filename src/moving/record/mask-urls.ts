/** Masks the values in the URLs of recordings, once all of them show which parts are values (specification 38.4). */

import { segmentOf } from '../../model/operation-name.ts'
import { findTemplates } from '../import/import-requests.ts'
import { inferTemplates } from '../import/infer-templates.ts'
import { type PlacedUrl, splitSegment } from '../import/place-url.ts'
import type { Recording } from '../import/recording.ts'
import { type Masking, maskValue } from './mask-body.ts'

/** A recording whose values are masked where it says so. */
export interface MaskedRecording extends Recording {
  /** Places in the path. Query values always are, from the first time on. */
  readonly masked?: readonly number[]
}

export function maskUrls(recordings: readonly MaskedRecording[], masking: Masking): readonly MaskedRecording[] {
  const groups = Map.groupBy(recordings, ({ url, method }) => JSON.stringify([url.alias, url.version, method]))
  const masked = new Map<MaskedRecording, MaskedRecording>()
  for (const group of groups.values()) {
    const inferred = inferTemplates(group.map(({ url }) => url))
    const sources = findTemplates(group, inferred)
    for (const [at, recording] of group.entries()) masked.set(recording, maskUrl(recording, sources[at] ?? '', masking))
  }
  return recordings.map((recording) => masked.get(recording) ?? recording) // in their order, which shows changes (16.17)
}

function maskUrl(recording: MaskedRecording, source: string, masking: Masking): MaskedRecording {
  const { url, masked } = recording
  const segments = source.replace(/\{?[?].*$/s, '').split('/')
  const isValue = (at: number) => segments[at]?.includes('{') === true && !masked?.includes(at)
  const path = url.path.map((segment, at) => (isValue(at) ? maskSegment(segment, masking) : segment))
  const query =
    masked === undefined
      ? url.query.map(([name, value]) => [name, maskValue(value, name, masking)] as const)
      : url.query
  const places = path.flatMap((_, at) => (masked?.includes(at) || isValue(at) ? [at] : []))
  return { ...recording, url: { ...url, path, query, shown: show({ ...url, path, query }) }, masked: places }
}

function maskSegment(segment: string, masking: Masking): string {
  const { name, value } = splitSegment(segment)
  return name === undefined ? maskValue(value, '', masking) : `${name}=${maskValue(value, name, masking)}`
}

function show({ gatewayPath, node, path, query, ...own }: PlacedUrl): string {
  const pairs = query.map((pair) => pair.map(encodeURIComponent).join('='))
  const segments = [...(gatewayPath ?? '').split('/'), 'RESTListeningConnector', node ?? '', segmentOf(own), ...path]
  return `/${segments.map(encodeURIComponent).join('/')}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
}
