/** The manual page ig(1), in man(7) (specification 32.2). */
import { type DescribedCommand, listDescribed } from './describe-command.ts'

export function writeManPage(program: DescribedCommand): string {
  const commands = listDescribed(program)
  const lines = [
    '.TH IG 1',
    '.SH NAME',
    'ig \\- integration gateway',
    '.SH SYNOPSIS',
    '.B ig',
    '.I command',
    '[options]',
    '.SH DESCRIPTION',
    escapeRoff(program.summary),
    '.SH COMMANDS',
    ...commands.flatMap(({ path, summary, options }) => [
      '.SS',
      escapeRoff(path),
      escapeRoff(summary),
      ...options.flatMap(({ flags, description }) => ['.TP', escapeRoff(flags), escapeRoff(description)]),
    ]),
    '.SH EXIT STATUS',
    '0 success, 1 failure, 2 wrong command or option, 3 a difference was found.',
    '.SH SEE ALSO',
    'ig \\-\\-help',
  ]
  return `${lines.join('\n')}\n`
}

function escapeRoff(text: string): string {
  const escaped = text.replaceAll('\n', ' ').replaceAll('\\', '\\e').replaceAll('-', '\\-')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
