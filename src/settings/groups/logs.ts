/** The logs, and the recent calls for `ig explain`. */
import { file, oneOf, whole, yesOrNo } from '../kinds.ts'
import { logLevel } from '../log-levels.ts'
import type { Rows } from '../row.ts'

const maxSize = {
  kind: whole('KB', 1, 10_000_000),
  default: '10000',
  help: 'size at which the file is rotated',
  see: '8.6',
} as const
const maxBackupFiles = {
  kind: whole('files', 0, 1000),
  default: '5',
  help: 'number of rotated files to keep',
  see: '8.6',
} as const

export const log = {
  level: {
    key: 'ig.log.level',
    kind: logLevel,
    default: '3',
    help: 'log level; see the levels below',
    see: '8.5',
  },
  masking: {
    key: 'ig.log.masking',
    kind: oneOf('known', 'strict'),
    default: 'known',
    help: 'known redacts values named like secrets; strict redacts all values except those that the configuration names',
    see: '8.11',
  },
  healthChecks: {
    key: 'ig.log.healthChecks',
    kind: yesOrNo('true', 'false'),
    default: 'false',
    help: 'also logs health checks, at levels 4 and 5',
    see: '8.5',
  },
  hasFiles: {
    key: 'ig.log.files',
    kind: yesOrNo('true', 'false'),
    default: 'true',
    help: 'writes the message log and the error log; false: only the log on standard output',
    see: '8.6',
  },
  messageLogFile: {
    key: 'ig.messageLog.filename',
    kind: file,
    default: 'data/logs/msgLog.html',
    help: 'the message log',
    see: '8.6',
  },
  messageLogMaxSize: { key: 'ig.messageLog.maxSize', ...maxSize },
  messageLogMaxBackupFiles: { key: 'ig.messageLog.maxNbBackupFiles', ...maxBackupFiles },
  errorLogFile: {
    key: 'ig.errorLog.filename',
    kind: file,
    default: 'data/logs/errorLog.html',
    help: 'the error log',
    see: '8.6',
  },
  errorLogMaxSize: { key: 'ig.errorLog.maxSize', ...maxSize },
  errorLogMaxBackupFiles: { key: 'ig.errorLog.maxNbBackupFiles', ...maxBackupFiles },
} as const satisfies Rows

/** 0: none. */
export const recentTransactions = {
  key: 'ig.recentTransactions',
  kind: whole('transactions', 0, 100_000),
  default: '1000',
  help: 'number of recent calls kept for ig explain; 0 disables it',
  see: '15.2',
} as const
