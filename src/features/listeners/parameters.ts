/**
 * What a call states for a connector of the original, wherever the original reads it: the query, headers, `SOAPAction`
 * and the `action` of the content type (specification 44.3).
 */
import type { Call } from '../../model/call.ts'
import { Refusal } from '../../model/refusal.ts'
import { parseQuery } from '../../model/uri/target.ts'
import { readConnectionNames } from '../../steps/handler/upstream/flat-headers.ts'

export interface StatedCall {
  readonly operation: string
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** The parameters that may pass, by their documented names; two are the name of the operation. */
export const passing = {
  Operation: 'Operation',
  OperationName: 'Operation',
  From: 'From',
  To: 'To',
  OperationType: 'OperationType',
  Password: 'Password',
} as const
type Name = (typeof passing)[keyof typeof passing]

const byHeader = new Map(Object.entries(passing).map(([name, meant]) => [name.toLowerCase(), meant]))

/** The others, which choose what the original does with a message. */
const others = new Set([
  ...['externaloperationname', 'externalmessageid', 'nonrepudiation', 'origuser', 'orignode', 'origprocess'],
  ...['origtimestamp', 'finaldestination', 'subqueue', 'messagename', 'messagetype', 'messageversion'],
  ...['requestingnode', 'destinationnode', 'sourcenode', 'transactionid', 'ibtransactionid', 'versionfrom'],
  ...['content-transfer-encoding', 'message-id', 'mime-version'],
])

/** Sent on in the documented letter case: the original may compare it. */
export function sentHeaders({ nodePassword }: { readonly nodePassword: boolean }): readonly string[] {
  return Object.keys(passing).filter((name) => name !== 'Password' || nodePassword)
}

/** @throws Refusal listenerRefused */
export function readStated(
  headers: Call['headers'],
  rawQuery: string | undefined,
  { nodePassword }: { readonly nodePassword: boolean },
): StatedCall {
  const values = new Map<Name, string>()
  const sent = withoutNamed(headers)
  for (const [name, value] of [...listQuery(rawQuery), ...listHeaders(sent), ...listActions(sent)]) {
    if (values.has(name)) throw refused(`states ${name} twice`)
    values.set(name, value)
  }
  const operation = values.get('Operation')
  if (!operation) throw refused('names no operation')
  // Not shown: a part of another form may be a password
  if (!['Operation', 'From', 'To'].every((name) => /^[\w.-]*$/.test(values.get(name as Name) ?? '')))
    throw refused('names an operation or a node that no configuration can list')
  const type = values.get('OperationType')
  if (type !== undefined && type.toLowerCase() !== 'sync') throw refused('has another OperationType than sync')
  if (values.has('Password') && !nodePassword) throw refused('has the Password of a node, and nodePassword is not set')
  return { operation, from: values.get('From'), to: values.get('To') }
}

/** For GET, which states its operation in the URL. @throws Refusal listenerRefused */
export function refuseActions(headers: Call['headers']): void {
  if (listActions(withoutNamed(headers)).length > 0) throw refused('states an operation beside a WSDL')
}

/** @param what it does */
export function refused(what: string): Refusal {
  return new Refusal('listenerRefused', () => `The call ${what}.`)
}

/** A header that `Connection` names is not sent on. */
function withoutNamed(headers: Call['headers']): Call['headers'] {
  const named = readConnectionNames(headers.connection)
  return named ? Object.fromEntries(Object.entries(headers).filter(([name]) => !named.has(name))) : headers
}

type Pair = readonly [name: Name, value: string]

/** A name counts as sent: in another letter case, or encoded, it is another one. */
function listQuery(rawQuery = ''): readonly Pair[] {
  if (rawQuery.includes(';')) throw refused('has a semicolon in its query, which separates parameters for some servers')
  const pairs = rawQuery.split('&').filter((pair) => pair !== '')
  return parseQuery(rawQuery).map(([name, value], at) => {
    if (!Object.hasOwn(passing, name) || pairs[at]?.split('=', 1)[0] !== name)
      throw refused(`has the query parameter ${JSON.stringify(name.slice(0, 100))}`)
    return [passing[name as keyof typeof passing], value]
  })
}

function listHeaders(headers: Call['headers']): readonly Pair[] {
  return Object.entries(headers).flatMap(([name, value]): Pair[] => {
    const meant = byHeader.get(name)
    if (meant) return [[meant, String(value)]]
    if (others.has(name)) throw refused(`has the header ${name}`)
    return []
  })
}

/** SOAP 1.1 has a header, SOAP 1.2 a parameter of the content type. */
function listActions({ soapaction, 'content-type': type = '' }: Call['headers']): readonly Pair[] {
  const actions = [...String(type).matchAll(/;\s*action\s*=\s*("[^"]*"|[^\s;]*)/gi)].map(([, value = '']) => value)
  return [...(soapaction === undefined ? [] : [String(soapaction)]), ...actions].flatMap(readAction)
}

/** `JOB_SYNC.v1`, or `http://peoplesoft.com/<operation>/<from>/<password>/<to>`; quoted or not. */
function readAction(written: string): readonly Pair[] {
  const action = written.trim().replace(/^"(.*)"$/, '$1')
  const [isLong, operation = '', from = '', password = '', to = ''] = long.exec(action) ?? []
  const stated: readonly Pair[] = [
    ['Operation', isLong === undefined ? action : operation],
    ['From', from],
    ['Password', password],
    ['To', to],
  ]
  return stated.filter(([, value]) => value !== '')
}

const long = /^http:\/\/peoplesoft\.com\/([^/]+)\/([^/]*)\/([^/]*)\/([^/]*)$/
