/** A real LDAP server, OpenLDAP's slapd as Debian packages it, on free ports of the loopback. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../../support/certificate.ts'
import { poll } from '../../support/poll.ts'
import { findPorts } from '../../support/proxies.ts'

const program = '/usr/sbin/slapd'
/** Where it is missing: what is skipped, and how to have it. */
export const withoutLdap = existsSync(program)
  ? {}
  : { skip: 'slapd is not installed, so LDAP was not tried: apt-get install slapd' }

export interface LdapServer extends AsyncDisposable {
  readonly plainUrl: string
  readonly secureUrl: string
  /** A file. */
  readonly ca: string
  readonly process: ChildProcess
}

/** @param people their passwords, by `uid`; entries are below `ou=people,dc=example` */
export async function startLdap(people: Readonly<Record<string, string>>): Promise<LdapServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ig-ldap-'))
  const at = (name: string) => join(folder, name)
  chmodSync(folder, 0o755)
  mkdirSync(at('data'))
  const { cert, key } = makeCertificate()
  writeFileSync(at('cert.pem'), cert)
  writeFileSync(at('key.pem'), key)
  writeFileSync(
    at('slapd.conf'),
    `include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
pidfile ${at('pid')}
TLSCertificateFile ${at('cert.pem')}
TLSCertificateKeyFile ${at('key.pem')}
database ldif
suffix "dc=example"
directory ${at('data')}
`,
  )
  const entries = Object.entries(people).map(
    ([uid, password]) =>
      `dn: uid=${uid},ou=people,dc=example\nobjectClass: account\nobjectClass: simpleSecurityObject\nuserPassword: ${password}\n`,
  )
  const top = [
    'dn: dc=example\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: example\n',
    'dn: ou=people,dc=example\nobjectClass: organizationalUnit\nou: people\n',
  ]
  writeFileSync(at('people.ldif'), [...top, ...entries].join('\n'))
  execFileSync('/usr/sbin/slapadd', ['-f', at('slapd.conf'), '-l', at('people.ldif')], { stdio: 'pipe' })
  const [plain, secure] = await findPorts(2)
  const urls = `ldap://127.0.0.1:${plain} ldaps://127.0.0.1:${secure}`
  const child = spawn(program, ['-d', '0', '-f', at('slapd.conf'), '-h', urls], { stdio: 'ignore' })
  await poll(() => answers(secure))
  return {
    plainUrl: `ldap://127.0.0.1:${plain}`,
    secureUrl: `ldaps://127.0.0.1:${secure}`,
    ca: at('cert.pem'),
    process: child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill()
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
