/** The operation or instance of an alert. */
import type { Schemas } from '../../api/client.ts'
import { pathOfFigures } from '../../lists.ts'
import { Link } from '../../router.tsx'

interface Props {
  readonly alert: Pick<Schemas['Alert'], 'operation' | 'instance'>
}

export function AlertSubject({ alert: { operation, instance } }: Props) {
  return operation === null ? (
    <b className="mono">{instance}</b>
  ) : (
    <Link to={pathOfFigures(operation)} underline="always" className="mono">
      {operation}
    </Link>
  )
}
