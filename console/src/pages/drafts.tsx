/** A draft; the list of drafts is a part of the page of changes. */
import type { PageProps } from '../page.ts'
import { Redirect } from '../router.tsx'
import { DraftPage } from './drafts/draft-page.tsx'

export default function Drafts({ id }: PageProps) {
  return id === '' ? <Redirect to="/changes" /> : <DraftPage key={id} id={id} />
}
