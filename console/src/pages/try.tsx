/** Calls any operation as any caller. */
import { PageHead } from '../parts/page-head.tsx'
import TryForm from './try/try-form.tsx'

export default function Try() {
  return (
    <>
      <PageHead />
      <TryForm />
    </>
  )
}
