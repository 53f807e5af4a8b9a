/** The chapter of each feature, which is the README.md of its folder, as a page of the site. */
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

export default {
  paths: () =>
    globSync('src/features/*/README.md', { cwd: root })
      .sort()
      .map((file) => ({ params: { name: basename(dirname(file)) }, content: readFileSync(join(root, file), 'utf8') })),
}
