/** The modules of the gateway get bundled dependencies, in `ig` and in the processes that it starts with `--import`. */
import { existsSync } from 'node:fs'
import { useBundled } from './bundled-dependencies.js'

const sources = new URL('../src/', import.meta.url)

if (existsSync(new URL('cli/main.ts', sources)))
  useBundled(new URL('../node_modules/.bundled/', import.meta.url), sources)
else useBundled(new URL('../dist/bundled/', import.meta.url), new URL('../dist/', import.meta.url))
