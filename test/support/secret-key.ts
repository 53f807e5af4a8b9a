/** `ig.secretKey` of gateways in tests. */
export const testKey = 'a secret key for tests: 32 characters'
