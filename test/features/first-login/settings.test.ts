/** Settings of first logins (specification 37.9, 37.10, 37.15, 37.16). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../src/settings.ts'

function read(values: Readonly<Record<string, string>>) {
  const given = Object.entries(values).map(([key, value]) => [key, { value, option: 'test' }] as const)
  return readSettings('/nowhere', {}, Object.fromEntries(given)).passwords
}

const none = {
  upstream: undefined,
  upstreamUntil: undefined,
  upstreamField: 'currentUser',
  upstreamCa: undefined,
  ldap: undefined,
  ldapName: undefined,
  ldapUntil: undefined,
  ldapCa: undefined,
}

test('37.9, 37.10 the original is an https URL, a last day, a field and an authority', () => {
  assert.deepEqual(read({}), none)
  const values = {
    'ig.passwords.upstream': 'https://o.example/A.v1/',
    'ig.passwords.upstream.until': '2027-03-31',
    'ig.passwords.upstream.field': 'data.user',
    'ig.passwords.upstream.ca': '/ca.pem',
  }
  assert.deepEqual(read(values), {
    ...none,
    upstream: 'https://o.example/A.v1/',
    upstreamUntil: Date.UTC(2027, 3, 1),
    upstreamField: 'data.user',
    upstreamCa: '/ca.pem',
  })
})

test('37.15, 37.16 an LDAP server is a URL, a name to bind with, a last day and an authority', () => {
  const values = {
    'ig.passwords.ldap': 'ldap://l.example:389',
    'ig.passwords.ldap.name': 'uid={id},dc=example',
    'ig.passwords.ldap.until': '2027-03-31',
    'ig.passwords.ldap.ca': '/ca.pem',
  }
  assert.deepEqual(read(values), {
    ...none,
    ldap: 'ldap://l.example:389',
    ldapName: 'uid={id},dc=example',
    ldapUntil: Date.UTC(2027, 3, 1),
    ldapCa: '/ca.pem',
  })
})
