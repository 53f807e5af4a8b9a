/** `ig record`: records what clients call at the original, as a project of stand-ins (specification 38). */
import type { Command } from 'commander'
import type { RecordOptions } from '../moving/record/record.ts'

export function recordVerb(command: Command): void {
  command
    .description(
      'Forwards calls to another server, byte for byte, until Ctrl-C. Then writes a project whose operations ' +
        'answer as recorded, or adds to the project of an earlier session, and prints what it recorded and what it ' +
        'could not. Never writes credentials. Masks all other values: ids, names and dates are replaced by others ' +
        'of the same shape.',
    )
    .argument('<project>', 'folder of the project')
    .requiredOption('--upstream <url>', 'the origin to forward to: https://original.example')
    .option('--host <host>', 'address to listen on; the default is this machine only: 127.0.0.1')
    .option('--port <n>', 'port to listen on; the default is ig.port')
    .option('--service <name>', 'the service of the operations', 'RECORDED')
    .option('--keep-values', 'write values unmasked; asks first')
    .option('--yes', 'do not ask')
    .option('--mask <names>', 'with --keep-values: mask the values of these names')
    .option('--timeout <seconds>', 'how long to wait for the original to start answering', '60')
    .option('--json', 'print { "folder", "operations", "unexpressed", "notices" } at the end')
    .addHelpText('after', examples)
    .action(async (folder: string, options: RecordOptions) => {
      const { record } = await import('../moving/record/record.ts') // loaded here, because other verbs do not need it
      await record(folder, options)
    })
}

const examples = `
Examples:
  ig record --upstream https://hr.example.com hr --port 8081
  ig record --upstream https://test.example.com hr --keep-values --mask NAME,BIRTHDATE`
