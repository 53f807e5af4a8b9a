/** A field of an operation is stated once: in its schema. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/cli.ts'

const field = `
    shade: z.enum(['light', 'dark']).optional().meta({ title: 'Shade', description: 'How dark the answer is' }),`

test('18.14, 19.7 a field that is added to the schema of operations, or of an action, is in the form, the API, ig and the references', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'ig-added-field-'))
  t.after(() => rm(copy, { recursive: true, force: true }))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  for (const file of listed.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  for (const folder of ['', 'console'])
    symlinkSync(join(root, folder, 'node_modules'), join(copy, folder, 'node_modules'))
  replace(copy, 'src/configuration/operation-schema.ts', '    logDetail,', (line) => `${line}${field}`)
  replace(
    copy,
    'src/admin/routes/operators.ts',
    '        certificates: certificates.optional(),',
    (line) => `${line}${field}`,
  )

  const run = (...args: readonly string[]) => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const source = '--conditions=integration-gateway-source'
  const built = run('console/build.js')
  assert.equal(built.status, 0, built.output)
  const seen = run(source, 'test/support/added-field.ts')
  assert.equal(seen.status, 0, seen.output)

  assert.match(
    run(source, 'bin/ig.js', 'operator', 'add', '--help').output,
    /--shade <value> +how dark the answer is\s+\(choices: "light",\s+"dark"\)/,
  )
  run(source, 'tools/docs/write-tables.ts')
  const reference = readFileSync(join(copy, 'docs/reference/configuration.md'), 'utf8')
  assert.match(reference, /^\| `shade` \| Shade \| \| `light`, `dark` \| How dark the answer is\. \|$/m)
  replace(copy, 'examples/reference/gateway.config.ts', "      name: 'KEY_VALUE',", (line) => `${line} shade: 'drak',`)
  const checked = run(source, 'bin/ig.js', 'check', '--project', 'examples/reference')
  assert.match(checked.output, /operations\[\d+\]\.shade must be one of light, dark; did you mean dark\?/)
})

function replace(copy: string, name: string, before: string, after: (before: string) => string): void {
  const text = readFileSync(join(copy, name), 'utf8')
  assert.ok(text.includes(before), name)
  writeFileSync(join(copy, name), text.replace(before, after))
}
