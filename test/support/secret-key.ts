/** `ig.secretKey` of gateways in tests. */
export const testKey = 'a secret key for tests: 32 characters'

/** With it, unless the environment says where secrets come from. */
export function withTestKey<Environment extends Readonly<Record<string, string | undefined>>>(given: Environment) {
  const statesSecrets = Object.keys(given).some((name) => /^(?:IG_SECRET|CREDENTIALS_)/.test(name))
  return statesSecrets ? given : { IG_SECRETKEY: testKey, ...given }
}
