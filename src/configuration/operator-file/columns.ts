/** The columns of a CSV file of operators: how a cell is read and written, one row for each (specification 37.2). */

import { mapContributions } from '../../features.ts'
import { firstLoginMark, hasPassword, type Operator } from '../../model/operator.ts'
import type { Field } from './entry.ts'

interface Column {
  /** The value that the schema checks; undefined for none. */
  read(cell: string): unknown
  write(operator: Operator): string
}

const words = (cell: string) => cell.split(/\s+/).filter((word) => word !== '')
const lines = (cell: string) => cell.split(/\r?\n/).filter((line) => line.trim() !== '')
const given = (cell: string) => (cell === '' ? undefined : cell)
const truth: Readonly<Record<string, boolean>> = { true: true, false: false }
const readTruth = (cell: string) => truth[cell.trim().toLowerCase()] ?? cell

export const columns: Readonly<Record<Field, Column>> = {
  id: { read: (cell) => cell, write: ({ id }) => id },
  description: { read: (cell) => cell, write: ({ description }) => description },
  isLocked: { read: readTruth, write: ({ isLocked }) => String(isLocked) },
  emails: {
    read: (cell) => words(cell).map((word, at) => ({ ...readEmail(word), isPrimary: at === 0 })),
    write: ({ emails }) => emails.map(({ type, address }) => `${type}:${address}`).join(' '),
  },
  certificates: { read: lines, write: ({ certificates = [] }) => certificates.join('\n') },
  permissionLists: { read: words, write: ({ permissionLists }) => permissionLists.join(' ') },
  passwordArgon2id: { read: given, write: (operator) => (hasPassword(operator) ? (operator.passwordHash ?? '') : '') },
  ...mapContributions('passwordForms', () => ({ read: given, write: () => '' })),
  firstLogin: {
    read: (cell) => (cell === '' ? undefined : readTruth(cell)),
    write: ({ passwordHash }) => String(passwordHash === firstLoginMark),
  },
}

function readEmail(word: string) {
  const [, type = 'business', address = word] = /^(?:([A-Za-z]{1,30}):)?(.*)$/.exec(word) ?? []
  return { type, address }
}

/** The operator as JSON, by the names of the columns. */
export function toEntry(operator: Operator) {
  const { id, description, isLocked, emails, certificates = [], permissionLists, passwordHash } = operator
  const password = {
    ...(hasPassword(operator) && { passwordArgon2id: passwordHash }),
    ...(passwordHash === firstLoginMark && { firstLogin: true }),
  }
  return { id, description, isLocked, emails, certificates, permissionLists, ...password }
}
