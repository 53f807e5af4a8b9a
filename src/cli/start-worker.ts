/** `ig start-worker`: one of the processes that `ig start` starts (specification 17.1, 17.4). */
import type { Command } from 'commander'
import { runWorker } from '../serve/production/worker.ts'
import { projectArgument } from '../terminal/project-options.ts'

export function startWorker(command: Command): void {
  command
    .description('One of the processes of ig start, which starts it.')
    .argument(...projectArgument)
    .requiredOption('--host <address>')
    .requiredOption('--port <n>')
    .requiredOption('--admin-port <n>')
    .requiredOption('--number <n>')
    .requiredOption('--count <n>')
    .option('--inherits', '', false)
    .option('--quiet', '', false)
    .option('--new')
    .option('--no-new')
    .action(runWorker)
}
