/** The command line itself: its entry, its help, its exit codes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from 'commander'
import { openProgram } from '../../src/cli/main.ts'
import { verbs } from '../../src/cli/verbs.ts'
import { describeSettings } from '../../src/settings.ts'
import { listCommands } from '../../src/terminal/commands.ts'
import { ig, spawnIg } from '../support/cli.ts'

/** Plain JavaScript, so that an older Node can still read it. */
const entry: string = '../../bin/check-runtime.js'
const { findObstacle } = (await import(entry)) as {
  findObstacle(runtime: { version: string; isCheckout: boolean; options: readonly string[] }): string | undefined
}
const sources = ['--conditions=integration-gateway-source']

test('with a Node that is too old, the message says what to install, or that the checkout includes it', () => {
  for (const version of ['v12.22.12', 'v20.20.2', 'v23.11.1']) {
    const installed = findObstacle({ version, isCheckout: false, options: [] })
    assert.match(
      installed ?? '',
      new RegExp(`^ig needs Node\\.js 24 or newer; this is ${version}\\.\\nInstall it from`),
    )
    assert.match(findObstacle({ version, isCheckout: true, options: sources }) ?? '', /npm ci.*npm start.*npm run ig/)
  }
})

test('a Node that is new enough runs the package as it is, and the checkout through npm', () => {
  for (const version of ['v24.0.0', 'v26.1.0', 'v100.0.0']) {
    assert.equal(findObstacle({ version, isCheckout: false, options: [] }), undefined)
    assert.equal(findObstacle({ version, isCheckout: true, options: sources }), undefined)
    assert.equal(
      findObstacle({ version, isCheckout: true, options: [] }),
      'In the checkout use: npm run ig -- <command>',
    )
  }
})

test('the help names every command, gives examples and explains the exit codes', async () => {
  const { code, stdout, stderr } = await spawnIg(['--help'])
  assert.deepEqual([code, stderr], [0, ''])
  for (const [verb, { summary, isHidden }] of Object.entries(verbs)) {
    const line = new RegExp(`^  ${verb} +${summary.split(' ').slice(0, 3).join(' ')}`, 'm')
    assert.equal(line.test(stdout), isHidden !== true, verb)
  }
  assert.match(stdout, /^Examples:$/m)
  assert.match(stdout, /^Exit code: 0 success, 1 failure[\s\S]*^3 ig drift or ig audit verify found a difference\.$/m)
  for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line)
})

test('only the terminal wraps the help text', async () => {
  const texts = (command: Command) => [
    command.description(),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
  ]
  const program = await openProgram(process, Object.keys(verbs))
  const commands = listCommands(program)
  assert.ok(commands.length > 40)
  assert.deepEqual(
    commands.flatMap(texts).filter((text) => /\n/.test(text)),
    [],
  )
})

test('the help of operator names its commands and never a way to pass a password as an argument', async () => {
  const { code, stdout } = await ig(['operator', '--help'])
  assert.equal(code, 0)
  for (const verb of ['add', 'list', 'show', 'set', 'set-password', 'lock', 'unlock', 'grant', 'revoke'])
    assert.match(stdout, new RegExp(`^  ${verb} `, 'm'))
  assert.doesNotMatch(stdout, /--password </)
})

test('ig help prints the help of a command at any depth', async () => {
  const { code, stdout } = await ig(['help', 'operator', 'add'])
  assert.deepEqual([code, stdout], [0, (await ig(['operator', 'add', '--help'])).stdout])
  assert.match(stdout, /^Usage: ig operator add [\s\S]*--email <\[type:\]address> +an address/)
  for (const text of [stdout, (await ig(['apply', '--help'])).stdout]) assert.doesNotMatch(text, /default: (?:\[\]|"")/)
})

test('an unknown command ends with exit code 2 and names the nearest one', async () => {
  const { code, stdout, stderr } = await spawnIg(['strat'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /unknown command 'strat'[\s\S]*Did you mean start\?[\s\S]*See: ig --help/)
})

test('ig settings lists every setting by group, with its variable and its default', async () => {
  const [text, json] = await Promise.all([spawnIg(['settings']), ig(['settings', '--json'])])
  const sections = text.stdout.split(/^(?=[A-Z].*$)/m)
  const lines = text.stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' '))
  for (const { key, variable, values, fallback = '', help, group } of describeSettings()) {
    const section = sections.find((each) => each.includes(`  ${key}=${fallback}`))
    assert.equal(section?.split('\n')[0], group, key)
    const at = lines.indexOf(`${key}=${fallback} ${variable}`)
    assert.equal(lines[at + 1], `${help} (${values})`, key)
  }
  assert.match(text.stdout, /Log levels[\s\S]*-100 {2}nothing\n/)
  const settings: readonly object[] = JSON.parse(json.stdout)
  const { group, see, ...first } = describeSettings()[0] ?? {}
  assert.deepEqual(settings[0], first)
  assert.equal(settings.length, describeSettings().length)
})
