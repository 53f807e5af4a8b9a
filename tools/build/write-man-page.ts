/** Writes man/ig.1, which the package contains. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { describeCommand } from '../../src/terminal/describe-command.ts'
import { writeManPage } from '../../src/terminal/man-page.ts'

mkdirSync('man', { recursive: true })
writeFileSync('man/ig.1', writeManPage(describeCommand(await openProgram(process, Object.keys(verbs)))))
