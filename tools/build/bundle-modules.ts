/**
 * Compiles `src` into a few files (decisions D-482): `node tools/build/bundle-modules.ts <folder>`. A start that loads
 * hundreds of modules, one file each, spends half of its time on finding and linking them.
 */
import { join, resolve } from 'node:path'
import { build } from 'rolldown'
import { asAscii } from './as-ascii.ts'

const root = join(import.meta.dirname, '../..')
const sources = join(root, 'src')

/** What is imported by name, and what a process or thread of its own runs. */
const entries = [
  'sdk',
  'testing',
  'cli/main',
  'serve/development/server',
  'project/check-handlers/load-process',
  'store/sqlite/writer-worker',
  'store/sqlite/check-copy',
]

/** What each of these imports, and no earlier one does, is one file. What only other verbs need is divided as they share it. */
const layers = [
  'store/sqlite/writer-worker',
  'settings',
  'cli/main',
  'cli/start',
  'cli/dev',
  'serve/production/supervisor',
  'sdk',
  'serve/production/serve-project',
]

export interface BundleOptions {
  readonly folder: string
  /** Imports that stay. */
  readonly external: (id: string) => boolean
}

export async function bundleModules({ folder, external }: BundleOptions): Promise<void> {
  await build({
    input: Object.fromEntries(entries.map((entry) => [entry, pathOf(entry)])),
    cwd: root,
    platform: 'node',
    logLevel: 'silent',
    external,
    plugins: [asAscii],
    resolve: { conditionNames: ['integration-gateway-source', 'node'] },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'modules/[name].js',
      minifyInternalExports: false, // a new release replaces the files while the old one may load some
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: {
        groups: layers.map((layer, index) => ({
          name: (id, modules) =>
            modules.getModuleInfo(id)?.importers.includes(pathOf(layer)) ? `of-${layer.split('/').at(-1)}` : null,
          priority: layers.length - index,
        })),
      },
    },
  })
}

function pathOf(module: string): string {
  return join(sources, `${module}.ts`)
}

/** Dependencies are installed, or bundled one by one (D-482). */
const isDependency = (id: string) => !/^[./]/.test(id)

if (import.meta.main) await bundleModules({ folder: resolve(process.argv[2] ?? 'dist'), external: isDependency })
