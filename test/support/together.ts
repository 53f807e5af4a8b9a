/** `node together.ts <files…>`: test files one after the other in this process, which loads what they share once. */
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const files = process.argv.slice(2)
run({ files, isolation: 'none', timeout: 300_000, testSkipPatterns: [/\(PostgreSQL\)/] })
  .on('test:fail', () => {
    process.exitCode = 1
  })
  .compose(spec)
  .pipe(process.stdout)
