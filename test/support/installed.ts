/** The gateway that processes of tests run: as `npm test` built it (build.ts), otherwise the checkout. */
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** What a project of a test has as `node_modules/integration-gateway`. */
export const installed = process.env.IG_TEST_BUILT ?? root
/** For a compiler: the types of what a project imports from the gateway. */
export const typesOf = (module: 'sdk' | 'testing') =>
  installed === root ? join(root, `src/${module}.ts`) : join(installed, `dist/${module}.d.ts`)
/** Before the script of a Node. */
export const conditions = installed === root ? ['--conditions=integration-gateway-source'] : []
/** Options of a Node that make it `ig`. */
export const igCommand = [...conditions, join(installed, 'bin/ig.js')]
