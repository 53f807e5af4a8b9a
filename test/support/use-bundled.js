/** Modules of the gateway and of its tests get bundled dependencies, as those of `ig` do: 400 modules fewer in each process. */
import { useBundled } from '../../bin/bundled-dependencies.js'

for (const sources of ['../../src/', '../'])
  useBundled(new URL('../../node_modules/.bundled/', import.meta.url), new URL(sources, import.meta.url))
