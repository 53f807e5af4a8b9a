/** A process without rights over other users' files, which prints why each database and module of its arguments cannot be opened. */
import { basename, dirname, join } from 'node:path'
import { loadModule } from '../../src/project/load-module.ts'
import { openStore } from '../../src/store/open-store.ts'
import { explainFailure } from '../../src/terminal/explain-failure.ts'

if (process.getuid?.() === 0) process.setuid?.(65_534)
for (const file of process.argv.slice(2)) {
  if (file.endsWith('.ts')) {
    const loaded = await loadModule(dirname(dirname(file)), join(basename(dirname(file)), basename(file)))
    console.log('error' in loaded ? loaded.error : 'loaded')
    continue
  }
  const opened = await openStore(file).then(
    (store) => store.close().then(() => 'opened'),
    (error) => explainFailure(error),
  )
  console.log(opened)
}
