/**
 * The kernel's events that receivers can get (specification 35.1). They are events of the log too, with the same name. A
 * new one is a row here: documentation, validation of settings and the fields that leave the gateway come from it.
 */

export interface EventRow {
  readonly means: string
  /** Those members of the event's detail that are sent: ids and counts, never a value of a caller. */
  readonly data?: readonly string[]
}

export type EventRows = Readonly<Record<string, EventRow>>

export const kernelEvents = {
  signInsRefused: { means: 'attempts to sign in to administration were refused, in a minute', data: ['count'] },
  callersRefused: { means: 'calls were refused for their credentials, in a minute', data: ['count'] },
  passwordsGuessed: { means: 'so many wrong passwords that their answers were delayed, in a minute', data: ['count'] },
  certificateEnds: {
    means: 'a certificate of a listener ends in 30, 7 or 1 days, or has ended',
    data: ['setting', 'days'],
  },
  certificateRefused: { means: 'a changed certificate or key cannot be used' },
  certificateReloaded: { means: 'a changed certificate is in use' },
  storeAway: { means: 'the database does not answer; sent when it does again' },
  storeBack: { means: 'the database answers again' },
  storeFull: { means: 'the disk of the database is full; sent when it has room' },
  storeHasRoom: { means: 'the disk of the database has room again' },
  storeFileGone: { means: 'the SQLite file was removed or replaced; sent when it is back' },
  storeFileBack: { means: 'the SQLite file is back' },
  storeDamaged: { means: 'the SQLite file is damaged' },
  revisionRefused: { means: 'a process cannot serve the active revision' },
  keysUnreachable: { means: 'the keys of an identity provider cannot be fetched or used' },
  providerUnusable: { means: 'an identity provider cannot be used' },
} as const satisfies EventRows
