/** Client certificate → operator, evaluated at every call (specification 28.13, 28.16). */
import { withClaimed } from '../model/claimed-name.ts'
import { Refusal } from '../model/refusal.ts'
import type { Operators, Verifier } from './verifier.ts'

/** Operators change in place in their map; an older index of certificates is rebuilt. Milliseconds. */
const indexAge = 250

export function openCertificateVerifier(now: () => number): Verifier {
  let index = new Map<string, Set<string>>()
  let indexedAt = Number.NEGATIVE_INFINITY
  let indexed: Operators | undefined

  return {
    rejected,
    async verify(call, _operation, _catalog, operators) {
      const certificate = call.readCertificate?.() ?? 'there is none'
      if (typeof certificate === 'string') throw rejected(certificate)
      if (operators !== indexed || now() - indexedAt >= indexAge) {
        index = indexByName(operators)
        indexedAt = now()
        indexed = operators
      }
      const named = (name: string) =>
        [...(index.get(name) ?? [])]
          .map((id) => operators.get(id))
          .filter((operator) => operator?.certificates?.includes(name))
      const ofFingerprint = named(certificate.fingerprint)
      const found = ofFingerprint.length > 0 ? ofFingerprint : named(certificate.subject)
      const claimed = `${certificate.fingerprint}, ${certificate.subject}`
      if (found.length > 1) throw rejected(withClaimed(`${found.length} operators name the certificate`, claimed))
      const [operator] = found
      if (!operator) throw rejected(withClaimed('no operator names the certificate', claimed))
      if (operator.isLocked) throw rejected(withClaimed('operator is locked', operator.id))
      return operator
    },
  }
}

function rejected(reason: string): Refusal {
  return new Refusal('certificateRejected', `Authentication by certificate failed: ${reason}.`)
}

function indexByName(operators: Operators): Map<string, Set<string>> {
  const index = new Map<string, Set<string>>()
  for (const { id, certificates = [] } of operators.values())
    for (const name of certificates) index.set(name, (index.get(name) ?? new Set()).add(id))
  return index
}
