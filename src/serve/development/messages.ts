/** What the supervisor of `ig dev` and the process that serves say to each other (specification 14.3). */
import type { SampleIssuerClient } from './sample-issuer.ts'

export interface WorkerOptions {
  readonly folder: string
  /** Of the command line: option → value. */
  readonly overrides: Readonly<Record<string, string>>
  readonly url: string
  readonly tlsUrl: string | undefined
  /** Where administration is; undefined where it is off, or its port cannot be had. */
  readonly adminUrl: string | undefined
  /** What `--new` says, for the first process. */
  readonly isNewDatabase: boolean | undefined
}

/** At which port a connection came in. */
export type Entrance = 'plain' | 'tls' | 'admin'

export type ToWorker =
  /** The first one makes the link for the first administrator. */
  | { readonly kind: 'open'; readonly options: WorkerOptions; readonly isFirst: boolean }
  | { readonly kind: 'issuer'; readonly issuer: IssuerPlace | undefined }
  /** Comes with a socket. */
  | { readonly kind: 'connection'; readonly entrance: Entrance }
  | { readonly kind: 'stop' }

export type FromWorker =
  /** The project is sound so far; without clients it needs no sample issuer. Answered by `issuer`. */
  | { readonly kind: 'project'; readonly clients: readonly SampleIssuerClient[] | undefined }
  | Ready
  /** What is wrong, as it is printed. */
  | { readonly kind: 'failed'; readonly text: string }
  /** Goes by itself, after a fault: takes no further connections. */
  | { readonly kind: 'leaving' }
  /** It stops: all idle connections were given back, and no further call begins here. */
  | { readonly kind: 'retired' }
  /** Everything was said and given back: it ends when it is let go. */
  | { readonly kind: 'done' }
  /** Given back, with the socket. */
  | { readonly kind: 'connection'; readonly entrance: Entrance }

export interface Ready {
  readonly kind: 'ready'
  /** As a terminal gets it. */
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
