/** A process without rights over other users' files, which prints why each database of its arguments cannot be opened. */
import { openStore } from '../../src/store/open-store.ts'
import { explainFailure } from '../../src/terminal/explain-failure.ts'

if (process.getuid?.() === 0) process.setuid?.(65_534)
for (const file of process.argv.slice(2)) {
  const opened = await openStore(file).then(
    (store) => store.close().then(() => 'opened'),
    (error) => explainFailure(error),
  )
  console.log(opened)
}
