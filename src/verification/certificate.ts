/** Client certificate → operator, evaluated at every call (specification 28.13, 28.16). */
import { withClaimed } from '../model/claimed-name.ts'
import { Refusal } from '../model/refusal.ts'
import { openOperatorIndex } from './operator-index.ts'
import { requireUnlocked, type Verifier } from './verifier.ts'

export function openCertificateVerifier(now: () => number): Verifier {
  const find = openOperatorIndex(({ certificates = [] }) => certificates, now)
  return {
    rejected,
    async verify(call, _operation, _catalog, operators) {
      const certificate = call.readCertificate?.() ?? 'there is none'
      if (typeof certificate === 'string') throw rejected(certificate)
      const ofFingerprint = find(certificate.fingerprint, operators)
      const found = ofFingerprint.length > 0 ? ofFingerprint : find(certificate.subject, operators)
      const claimed = `${certificate.fingerprint}, ${certificate.subject}`
      if (found.length > 1) throw rejected(withClaimed(`${found.length} operators name the certificate`, claimed))
      const [operator] = found
      if (!operator) throw rejected(withClaimed('no operator names the certificate', claimed))
      return requireUnlocked(operator, rejected)
    },
  }
}

function rejected(reason: string): Refusal {
  return new Refusal('certificateRejected', `Authentication by certificate failed: ${reason}.`)
}
