/** Whether only this machine can reach a listener: sample passwords are safe only there (specification 9.15). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
