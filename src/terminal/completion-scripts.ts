/** Completion of `ig` in shells (specification 32.1). */
import { type DescribedCommand, listDescribed } from './describe-command.ts'

export const completionScripts: Readonly<Record<string, (program: DescribedCommand) => string>> = {
  bash: writeBash,
  zsh: writeZsh,
  fish: writeFish,
}

function writeBash(program: DescribedCommand): string {
  return `_ig() {
  local path=ig words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${listPaths(program)}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${listCases(program)}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD - 1]}" in
${listValues(program)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _ig ig
`
}

function writeZsh(program: DescribedCommand): string {
  return `#compdef ig
_ig() {
  local at=ig candidates= i
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${listPaths(program)}) at="$at $words[i]" ;;
    esac
  done
  case "$at" in
${listCases(program).replaceAll('words=', 'candidates=')}
  esac
  case "$at $words[CURRENT-1]" in
${listValues(program).replaceAll('words=', 'candidates=')}
  esac
  compadd -- \${=candidates} || _files
}
if [ "$funcstack[1]" = _ig ]; then _ig; else compdef _ig ig; fi
`
}

function writeFish(program: DescribedCommand): string {
  const rows = listDescribed(program).flatMap(({ path, commands, options }) => [
    ...commands.map(({ name, summary }) => ({ path, word: name, summary })),
    ...options.flatMap(({ names, description }) => names.map((word) => ({ path, word, summary: description }))),
  ])
  const lines = rows.map(
    ({ path, word, summary }) =>
      `complete -c ig -n 'test (__ig_path) = "${path}"' -a ${quoteFish(word)} -d ${quoteFish(summary)}`,
  )
  const values = listOptionValues(program).map(
    ({ path, name, values }) =>
      `complete -c ig -n 'test (__ig_path) = "${path}"; and test (commandline -opc)[-1] = ${name}' -a ${quoteFish(values.join(' '))}`,
  )
  return `function __ig_path
  set -l at ig
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${listPaths(program).replaceAll('|', ' ')}
        set at "$at $word"
    end
  end
  echo $at
end
${[...lines, ...values].join('\n')}
`
}

function listPaths(program: DescribedCommand): string {
  const [, ...others] = listDescribed(program)
  return others.map(({ path }) => `'${path}'`).join('|')
}

function listCases(program: DescribedCommand): string {
  const wordsOf = ({ commands, options }: DescribedCommand) =>
    [...commands.map(({ name }) => name), ...options.flatMap(({ names }) => names)].join(' ')
  return listDescribed(program)
    .map((command) => `    ('${command.path}') words='${wordsOf(command)}' ;;`)
    .join('\n')
}

function listValues(program: DescribedCommand): string {
  return listOptionValues(program)
    .map(({ path, name, values }) => `    ('${path} ${name}') words='${values.join(' ')}' ;;`)
    .join('\n')
}

function listOptionValues(program: DescribedCommand) {
  return listDescribed(program).flatMap(({ path, options }) =>
    options.flatMap(({ names, values }) => (values.length > 0 ? names.map((name) => ({ path, name, values })) : [])),
  )
}

function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', ' ')}'`
}
