/** The gateway that processes of tests run: as `npm test` built it (build.ts), otherwise the checkout. */
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** What a project of a test has as `node_modules/integration-gateway`. */
export const installed = process.env.IG_TEST_BUILT ?? root
/** Before the script of a Node. */
export const conditions = installed === root ? ['--conditions=integration-gateway-source'] : []
/** Options of a Node that make it `ig`. */
export const igCommand = [...conditions, join(installed, 'bin/ig.js')]
