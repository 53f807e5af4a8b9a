/** Limits, in bytes and milliseconds. */
import { size, time, whole } from '../kinds.ts'
import type { Rows } from '../row.ts'

export const limits = {
  maxUrlBytes: {
    key: 'ig.limits.url',
    kind: size,
    default: '8KiB',
    help: 'maximum length of a request URL',
    see: '7.6',
  },
  maxHeaderBytes: {
    key: 'ig.limits.headers',
    kind: size,
    default: '32KiB',
    help: 'maximum size of request headers',
    see: '7.6',
  },
  maxBodyBytes: { key: 'ig.limits.body', kind: size, default: '256MiB', help: 'maximum request body', see: '7.6' },
  spoolMemoryBytes: {
    key: 'ig.limits.bodyInMemory',
    kind: size,
    default: '256KiB',
    help: 'larger bodies go to a temporary file',
  },
  /** Of a process, for all its calls together; undefined: measured at start. */
  memoryBytes: {
    key: 'ig.limits.memory',
    kind: size,
    help: 'memory per process for bodies, XML trees and responses of all calls; by default measured at start',
    see: '7.8',
  },
  handlerTimeout: {
    key: 'ig.limits.handlerTimeout',
    kind: time,
    default: '30s',
    help: 'maximum run time of a handler',
    see: '7.6',
  },
  databaseWait: {
    key: 'ig.limits.databaseWait',
    kind: time,
    default: '5s',
    help: 'maximum wait of a handler for its database transaction',
    see: '5.9',
  },
  streams: {
    key: 'ig.limits.streams',
    kind: whole('streams', 1, 1000),
    default: '8',
    help: 'maximum streams per process that read the database, each on its own connection',
    see: '5.33',
  },
  streamTime: {
    key: 'ig.limits.streamTime',
    kind: time,
    default: '10min',
    help: 'maximum duration of a streamed response',
    see: '5.34',
  },
  headersTimeout: { key: 'ig.limits.headersTimeout', kind: time, default: '10s', help: 'timeout for request headers' },
  bodyTimeout: {
    key: 'ig.limits.bodyTimeout',
    kind: time,
    default: '30s',
    help: 'idle timeout for request bodies',
  },
  responseTimeout: {
    key: 'ig.limits.responseTimeout',
    kind: time,
    default: '30s',
    help: 'idle timeout for responses that the client does not read',
    see: '7.9',
  },
  keepAliveTimeout: {
    key: 'ig.limits.keepAliveTimeout',
    kind: time,
    default: '65s',
    help: 'idle timeout for connections between requests',
  },
  guessDelay: {
    key: 'ig.limits.guessDelay',
    kind: time,
    default: '30s',
    help: 'maximum delay of the response to a wrong password; 0 under ig dev and in tests',
    see: '3.25',
  },
  shutdownGrace: {
    key: 'ig.limits.shutdownGrace',
    kind: time,
    default: '30s',
    help: 'maximum wait for running calls when the gateway stops',
    see: '17.12',
  },
  shutdownIdle: {
    key: 'ig.limits.shutdownIdle',
    kind: time,
    default: '1s',
    help: 'idle timeout for connections when the gateway stops',
    see: '17.5',
  },
  jsonMaxBytes: {
    key: 'ig.limits.json',
    kind: size,
    default: '10MiB',
    help: 'maximum request body that is read as JSON',
    see: '5.20',
  },
  xmlMaxDepth: {
    key: 'ig.limits.xmlDepth',
    kind: whole('levels', 1, 256), // the parser is quadratic in depth
    default: '256',
    help: 'maximum nesting of XML elements',
    see: '5.11',
  },
  xmlMaxAttributes: {
    key: 'ig.limits.xmlAttributes',
    kind: whole('attributes', 1, 10_000),
    default: '256',
    help: 'maximum attributes per XML element',
    see: '5.11',
  },
  /** In characters. */
  xmlMaxTextLength: {
    key: 'ig.limits.xmlTextLength',
    kind: whole('characters', 1, 512 * 1024 ** 2),
    default: '16777216',
    help: 'maximum length of a text or attribute value in XML',
    see: '5.11',
  },
} as const satisfies Rows
