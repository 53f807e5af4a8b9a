/** Facts about a project, and the folders of its handlers. */
import { folders, text } from '../kinds.ts'
import { packageVersion } from '../package-version.ts'
import type { Rows } from '../row.ts'

export const project = {
  dbname: { key: 'ig.dbname', kind: text, default: 'GATEWAY', help: 'database name in responses', see: '9.2' },
  toolsRelease: {
    key: 'ig.toolsRelease',
    kind: text,
    default: packageVersion(),
    help: "release number in responses; by default the gateway's own",
    see: '10.2',
  },
  /** Each with a trailing slash. */
  handlerFolders: {
    key: 'ig.handlerFolders',
    kind: folders,
    default: 'handlers, src',
    help: 'project folders whose modules a draft may use as handlers; . for all',
    see: '18.36',
  },
} as const satisfies Rows
