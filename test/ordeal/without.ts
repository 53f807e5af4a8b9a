/** Each feature that the page does not name, deleted: what is left is a gateway, by its types and its tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Ordeal } from './ordeal.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'src/gateway.ts'), 'utf8')
const features = readdirSync(join(root, 'src/features')).filter((name) => !page.includes(`/features/${name}/`))

export const without: Ordeal = {
  name: 'without',
  title: 'each feature that src/gateway.ts does not name is deleted in a copy (npm run without)',
  figure: 'types, the build of the console, and the tests of functions and of the wire pass',
  trials: features.length,
  open: async ({ say, signal }) => ({
    async trial(index) {
      const feature = features[index] ?? ''
      say(feature)
      const { NODE_TEST_CONTEXT: _, ...env } = process.env
      const child = spawn(process.execPath, [join(root, 'tools/without.ts'), feature], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env,
        signal,
        killSignal: 'SIGTERM',
      })
      child.on('error', () => {}) // of the signal
      const [code] = await once(child, 'close')
      return code === 0 ? { passed: 1 } : { [`failed ${feature}`]: 1 }
    },
    close: async () => {},
  }),
  judge: (tally) => Object.keys(tally).filter((name) => name.startsWith('failed')),
}
