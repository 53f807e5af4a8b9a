/** A listener that the processes of an instance share. If its address is not available, calls are served all the same. */
export interface SharedListener {
  readonly host: string
  readonly port: number
  /** The environment variable of its port. */
  readonly variable: string
  /** The event of an address that is not available. */
  readonly missing: string
  explain(error: unknown): string
}
