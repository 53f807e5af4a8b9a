/** Messages between the reloader of `ig dev` and its serving process (specification 14.3). */
import type { SampleIssuerClient } from './sample-issuer.ts'

export interface ServerOptions {
  readonly folder: string
  /** Values of command-line options: option → value. */
  readonly overrides: Readonly<Record<string, string>>
  readonly url: string
  readonly tlsUrl: string | undefined
  /** The address of administration; undefined if it is off, or its port is not available. */
  readonly adminUrl: string | undefined
  /** The port of `--inspect`. */
  readonly inspect: number | undefined
  /** Set by `--jobs`. */
  readonly runsJobs: boolean
  /** Set by `--revisions`. */
  readonly servesRevisions: boolean
}

/** The port of the connection. */
export type Entrance = 'plain' | 'tls' | 'admin'

export type ToServer =
  /** Sent in advance: names the database that the process will probably open. */
  | { readonly kind: 'prepare'; readonly database: string }
  /** The first process creates the link for the first administrator. */
  | { readonly kind: 'open'; readonly options: ServerOptions; readonly isFirst: boolean }
  | { readonly kind: 'issuer'; readonly issuer: IssuerPlace | undefined }
  /** Sent with a socket; the reloader keeps it open too. */
  | { readonly kind: 'connection'; readonly entrance: Entrance; readonly id: number }
  | { readonly kind: 'stop' }

export type FromServer =
  /** The project is valid so far; without clients it needs no sample issuer. Answered by `issuer`. */
  | { readonly kind: 'project'; readonly clients: readonly SampleIssuerClient[] | undefined }
  | ReadyMessage
  /** The errors, as printed. Of the project, or such that no file of it can fix. */
  | { readonly kind: 'failed'; readonly text: string; readonly outcome: 'invalid' | 'failed' }
  /** It stops because of an error and takes no further connections. */
  | { readonly kind: 'leaving' }
  /** It is stopping: all idle connections were returned, and no further call begins here. */
  | { readonly kind: 'retired' }
  /** The last message: it ends when it is released. */
  | { readonly kind: 'done' }
  /** Released between two calls, so that another process can take it. */
  | { readonly kind: 'released'; readonly id: number }
  /** The connection was closed by its client, or after its last call. */
  | { readonly kind: 'closed'; readonly id: number }

export interface ReadyMessage {
  readonly kind: 'ready'
  /** The welcome as it is printed on a terminal. */
  readonly welcome: string
  readonly warnings: readonly string[]
  /** `ECHO_GET.v1` */
  readonly operations: readonly string[]
  readonly port: number
  readonly shutdownGrace: number
}

export interface IssuerPlace {
  readonly issuer: string
  readonly tokenEndpoint: string
}
