/** `ig describe` as a real process (specification 12.9). */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { copyReference, ig, makeProject } from '../../support/cli.ts'

const project = copyReference()

test('12.9 ig describe openapi prints all active operations, and opens no database for it', async () => {
  const { code, stdout, stderr } = await ig(['describe', 'openapi', project, '--base-url', 'https://api.example'])
  assert.deepEqual([code, stderr], [0, ''])
  const document = JSON.parse(stdout)
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.servers[0].url, 'https://api.example/PSIGW/RESTListeningConnector/LOCAL_NODE')
  assert.equal(Object.keys(document.paths).length, 10)
  assert.equal(existsSync(`${project}/data`), false)
})

test('12.9 ig describe wadl prints one service, the only one by default', async () => {
  const [named, only] = await Promise.all([
    ig(['describe', 'wadl', project, '--service', 'REFERENCE']),
    ig(['describe', 'wadl'], { cwd: project, env: { IG_DESCRIBE_BASEURL: 'http://h:1' } }),
  ])
  assert.deepEqual([named.code, only.code, named.stderr, only.stderr], [0, 0, '', ''])
  assert.match(named.stdout, /^<\?xml version="1.0"\?><application .*<\/application>\n$/s)
  assert.equal(only.stdout, named.stdout.replace('base="/', 'base="http://h:1/'))
})

test('12.9 --as prints what an operator may call', async () => {
  const added = await ig([
    'operator',
    'add',
    'KIM',
    '--no-password',
    '--permission-list',
    'PUBLIC',
    '--project',
    project,
  ])
  assert.equal(added.code, 0, added.stderr)
  const { code, stdout } = await ig(['describe', 'openapi', project, '--as', 'KIM'])
  assert.equal(code, 0)
  assert.deepEqual(Object.keys(JSON.parse(stdout).paths), [
    '/METADATA.v1',
    '/ECHO.v1/echo/{parameter1}',
    '/ECHO.v1/echo',
  ])
  const unknown = await ig(['describe', 'openapi', project, '--as', 'KIN'])
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /there is no operator KIN; did you mean KIM\?/)
})

test('12.9 an unknown service, no service if there are several, and an invalid base URL end with exit code 1', async () => {
  const several = makeProject({
    'gateway.config.ts': `export default {
      nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
      services: [{ name: 'ONE' }, { name: 'TWO' }],
    }`,
  })
  const failures: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['openapi', project, '--service', 'REFERENC'],
      /no service REFERENC; did you mean REFERENCE\? Available: REFERENCE\./,
    ],
    [['wadl', several], /WADL describes one service: name it with --service <name>\. Available: ONE, TWO\./],
    [
      ['openapi', project, '--base-url', 'api.example'],
      /ig\.describe\.baseUrl must be an http or https URL.*--base-url/,
    ],
  ]
  for (const [args, expected] of failures) {
    const { code, stdout, stderr } = await ig(['describe', ...args])
    assert.deepEqual([code, stdout], [1, ''], stderr)
    assert.match(stderr, expected)
  }
  const { code } = await ig(['describe', 'raml', project])
  assert.equal(code, 2)
})
