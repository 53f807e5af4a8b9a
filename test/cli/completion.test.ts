/** `ig completion` and the manual page (specification 32). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { completionScripts } from '../../src/terminal/completion-scripts.ts'
import { describeCommand, listDescribed } from '../../src/terminal/describe-command.ts'
import { writeManPage } from '../../src/terminal/man-page.ts'
import { ig, makeProject } from '../support/cli.ts'
import { patience } from '../support/patience.ts'

const program = describeCommand(await openProgram(process, Object.keys(verbs)))

test('32.1 the bash script completes verbs, subverbs and options', () => {
  const script = completionScripts.bash?.(program) ?? ''
  const complete = (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const asked = `\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _ig; echo "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', script + asked], { encoding: 'utf8' }).stdout.trim()
  }
  assert.equal(spawnSync('bash', ['-n'], { input: script }).status, 0)
  assert.equal(complete('ig', 'secret-'), 'secret-key')
  assert.equal(complete('ig', 'operator', 'ad'), 'add')
  assert.equal(complete('ig', 'can', '--js'), '--json')
  assert.equal(complete('ig', 'can', 'no-such'), '')
  assert.equal(complete('ig', 'operator', 'export', '--format', ''), 'csv json')
})

test('32.1 zsh and fish complete verbs, subverbs, options and file names', (t) => {
  const folder = makeProject({
    _ig: completionScripts.zsh?.(program) ?? '',
    'ig.fish': completionScripts.fish?.(program) ?? '',
  })
  const completed = {
    'ig secret-': 'ig secret-key',
    'ig operator ad': 'ig operator add',
    'ig can --js': 'ig can --json',
    'ig operator export --format js': 'ig operator export --format json',
    [`ig start ${folder}/ig.f`]: `ig start ${folder}/ig.fish`,
  }
  const scripts = { fish: completeInFish(folder, completed), zsh: completeInZsh(folder, completed) }
  for (const [shell, script] of Object.entries(scripts)) {
    const { error, status, stdout } = spawnSync(shell, ['-c', script], { timeout: patience })
    if (error?.message.includes('ENOENT')) t.diagnostic(`${shell} is not installed`)
    else assert.equal(status, 0, `${shell} does not complete: ${stdout}`)
  }
})

function completeInFish(folder: string, completed: Readonly<Record<string, string>>): string {
  const lines = Object.entries(completed).map(
    ([typed, whole]) => `string match -q -- '${whole.split(' ').at(-1)}*' (complete -C '${typed}'); or exit 1`,
  )
  return [`source ${folder}/ig.fish`, ...lines].join('\n')
}

/** Types each into a terminal, then the tab key; waits for the whole. */
function completeInZsh(folder: string, completed: Readonly<Record<string, string>>): string {
  const lines = Object.entries(completed).map(
    ([typed, whole]) => `zpty -w -n terminal $'\\x15${typed}\\t'; zpty -r terminal shown '*${whole}*'; echo "$shown"`,
  )
  return `
zmodload zsh/zpty
zpty terminal 'zsh -f -i'
zpty -w terminal 'fpath=(${folder} $fpath); autoload -U compinit; compinit -u -D; echo rea""dy'
zpty -r terminal shown '*ready*'
${lines.join('\n')}
zpty -d terminal`
}

test('32.1 every script has every command and option', (t) => {
  for (const [shell, write] of Object.entries(completionScripts)) {
    const script = write(program)
    for (const { path, options } of listDescribed(program)) {
      assert.ok(script.includes(path), `${shell}: ${path}`)
      for (const name of options.flatMap(({ names }) => names)) assert.ok(script.includes(name), `${shell}: ${name}`)
    }
    if (shell === 'bash') continue
    const file = join(makeProject({ script }), 'script')
    const { status, error } = spawnSync(shell, [shell === 'zsh' ? '-n' : '--no-execute', file])
    if (error) t.diagnostic(`${shell} is not installed: its syntax is not checked`)
    else assert.equal(status, 0, shell)
  }
})

test('32.1 another shell is a wrong argument, and the error lists the shells', async () => {
  const { code, stderr } = await ig(['completion', 'tcsh'])
  assert.equal(code, 2)
  assert.match(stderr, /bash, zsh, fish/)
})

test('32.2 the manual page has every command, escaped', () => {
  const page = writeManPage(program)
  for (const { path } of listDescribed(program)) assert.ok(page.includes(path.replaceAll('-', '\\-')), path)
  for (const line of page.split('\n')) assert.match(line, /^(\.(TH|SH|SS|TP|B|I)\b|[^.']|$)/)
  assert.doesNotMatch(page, /[^\\]-/)
})
