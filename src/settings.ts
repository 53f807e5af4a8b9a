/**
 * Settings: integrationGateway.properties and the environment, read once at start; nothing else reads the environment
 * (specification 8).
 */
import type { ErrorStyle } from './model/operation.ts'

export interface Settings {
  readonly host: string
  readonly port: number
  readonly gatewayPath: string
  readonly platformName: string
  readonly errorStyle: ErrorStyle
  readonly serviceSystemStatus: 'production' | 'development'
  /** `data/gateway.sqlite` (a path, relative to the project folder when read, absolute here) or `postgres://…`. */
  readonly database: string
  readonly dbname: string
  readonly toolsRelease: string
  readonly optionsEnabled: boolean
  readonly tls: { readonly cert: string; readonly key: string; readonly port: number } | undefined
  /** `ig.AuthorizationServer`: the name of the OAuth2 service app in force. */
  readonly authorizationServer: string | undefined
  /** `ig.JSONWebKey`: the provider's jwks_uri. */
  readonly jsonWebKey: string | undefined
  readonly userMapping: 'sub+email' | 'sub' | 'email'
  readonly sampleIssuerPort: number
  readonly log: LogSettings
  readonly limits: Limits
}

export interface LogSettings {
  readonly level: -100 | -1 | 1 | 2 | 3 | 4 | 5
  /** Absolute paths. */
  readonly messageLogFile: string
  readonly errorLogFile: string
  /** In KB. */
  readonly messageLogMaxSize: number
  readonly messageLogMaxBackupFiles: number
  readonly errorLogMaxSize: number
  readonly errorLogMaxBackupFiles: number
}

/** Bytes and milliseconds. */
export interface Limits {
  readonly maxUrlBytes: number
  readonly maxHeaderBytes: number
  readonly maxBodyBytes: number
  /** A body up to this many bytes stays in memory; a longer one goes to a temporary file. */
  readonly spoolMemoryBytes: number
  readonly handlerTimeout: number
  /** How long a handler's first statement may wait for the writer (SQLite) or a connection (PostgreSQL). */
  readonly databaseWait: number
  readonly headersTimeout: number
  readonly bodyTimeout: number
  /** How long writing a response to a slow reader may stand still. */
  readonly responseTimeout: number
  readonly keepAliveTimeout: number
  /** How long a stop waits for calls under way. */
  readonly shutdownGrace: number
  readonly cacheMaxBytes: number
  readonly cacheMaxEntries: number
  readonly xmlMaxDepth: number
  readonly xmlMaxAttributes: number
  /** Of one text run or attribute value, in characters. */
  readonly xmlMaxTextLength: number
}
