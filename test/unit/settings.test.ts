/** Settings: one table of keys, from file, environment and command line (specification 8.1 to 8.5, 7.6). */
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { SecretKey } from '../../src/base/secret-key.ts'
import { listContributions } from '../../src/features.ts'
import { listRows, type Rows } from '../../src/settings/row.ts'
import {
  describeSettings,
  maskDatabase,
  readSettings,
  type SettingOverride,
  type Settings,
  SettingsProblems,
} from '../../src/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'ig-settings-'))
after(() => rmSync(folder, { recursive: true }))

interface Sources {
  readonly file?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly overrides?: Readonly<Record<string, SettingOverride>>
}

function read({ file = '', environment = {}, overrides = {} }: Sources) {
  writeFileSync(join(folder, 'integrationGateway.properties'), file)
  return readSettings(folder, environment, overrides)
}

function problemsOf(sources: Sources): readonly string[] {
  try {
    read(sources)
  } catch (error) {
    assert.ok(error instanceof SettingsProblems)
    return error.problems.map(({ path, message }) => `${path} ${message}`)
  }
  return []
}

test('8.1 settings are in integrationGateway.properties, in the syntax of Java properties', () => {
  const file = [
    '# a comment',
    '! another',
    'ig.host : 0.0.0.0',
    'ig.dbname\\',
    '   = HR\\u0044EV  ',
    'ig.toolsRelease 8.59.01',
    'ig.gatewayPath=',
  ].join('\r\n')
  const { host, dbname, toolsRelease, gatewayPath } = read({ file })
  assert.deepEqual([host, dbname, toolsRelease, gatewayPath], ['0.0.0.0', 'HRDEV', '8.59.01', 'PSIGW'])
})

test('8.1 without the file every setting has its default', () => {
  assert.equal(readSettings(join(folder, 'nowhere'), {}).port, 8080)
})

test('8.1 a variable of the environment overrides the file, and the command line overrides both', () => {
  const file = 'ig.port=1111\nig.errorStyle=standard'
  const environment = { IG_PORT: '2222', IG_ERRORSTYLE: 'observed' }
  const overrides = { 'ig.port': { value: '3333', option: '--port' } }
  assert.equal(read({ file }).port, 1111)
  assert.deepEqual(pick(read({ file, environment }), 'port', 'errorStyle'), { port: 2222, errorStyle: 'observed' })
  assert.equal(read({ file, environment, overrides }).port, 3333)
})

test('8.2 a misspelled key stops the start, and the nearest key is named', () => {
  assert.deepEqual(problemsOf({ file: '\nig.errorstyle=standard' }), [
    'ig.errorstyle is not a setting; did you mean ig.errorStyle? (integrationGateway.properties, line 2)',
  ])
  assert.deepEqual(problemsOf({ file: 'ig.limits.frobnicate=1' }), [
    'ig.limits.frobnicate is not a setting (integrationGateway.properties, line 1)',
  ])
})

test('8.2 all errors are reported at once, each with its location', () => {
  const problems = problemsOf({
    file: 'ig.prot=1\nig.log.level=7',
    environment: { IG_LIMITS_BODY: '0' },
    overrides: { 'ig.port': { value: 'http', option: '--port' } },
  })
  assert.deepEqual(problems, [
    'ig.prot is not a setting; did you mean ig.port? (integrationGateway.properties, line 1)',
    'ig.port must be a whole number (port) from 0 to 65535, not "http" (--port)',
    'ig.log.level must be one of -100, -1, 1, 2, 3, 4, 5, not "7" (integrationGateway.properties, line 2)',
    'ig.limits.body must be a size in bytes, or with a unit: 8KiB, 256MiB, 2GiB, not "0" (IG_LIMITS_BODY)',
  ])
})

const badValues: readonly (readonly [key: string, value: string])[] = [
  ['ig.host', 'two words'],
  ['ig.port', '65536'],
  ['ig.port', '-1'],
  ['ig.tls.versions', '1.1'],
  ['ig.tls.versions', '1.2, 1.3, 1.4'],
  ['ig.tls.ciphers', 'ROT13'],
  ['ig.tls.strictFiles', 'yes'],
  ['ig.port', '80.5'],
  ['ig.port', '0x50'],
  ...['/a', 'a/', 'a//b', 'a/..', './a', 'a/%62', 'a b'].map((value) => ['ig.gatewayPath', value] as const),
  ['ig.platformName', 'Platform'],
  ['ig.platformName', 'a"b'],
  ['ig.errorStyle', 'Standard'],
  ['ig.json.invalidStatus', '409'],
  ['ig.serviceSystemStatus', 'test'],
  ['ig.OptionsEnabled', 'yes'],
  ['ig.database', 'mysql://localhost/x'],
  ['ig.database', 'postgres://['],
  ['ig.database.handlers', 'data/handlers.sqlite'],
  ['ig.JSONWebKey', 'keys.json'],
  ['ig.handlerFolders', '/srv/handlers'],
  ['ig.handlerFolders', 'handlers/../..'],
  ['ig.handlerFolders', 'handlers,'],
  ['ig.fetch.origins', 'https://a.example/path'],
  ['ig.fetch.origins', 'a.example'],
  ['ig.fetch.origins', 'ftp://a.example'],
  ['ig.JSONWebKey', 'file:///keys.json'],
  ['ig.oauth.userMapping', 'email+sub'],
  ['ig.oauth.tokenKind', 'id'],
  ['ig.oauth.privateAddresses', 'true'],
  ['ig.log.level', '0'],
  ['ig.log.level', '3.0'],
  ['ig.messageLog.maxSize', '0'],
  ['ig.messageLog.maxSize', '10MB'],
  ['ig.errorLog.maxNbBackupFiles', '-1'],
  ['ig.limits.url', '8KB'],
  ['ig.limits.url', '-8KiB'],
  ['ig.limits.body', '1e9'],
  ['ig.limits.handlerTimeout', '30'],
  ['ig.limits.handlerTimeout', '0s'],
  ['ig.limits.handlerTimeout', '25h'],
  ['ig.limits.json', '0'],
  ['ig.limits.xmlDepth', '257'],
  ['ig.limits.cacheEntries', '0'],
]
for (const [key, value] of badValues) {
  test(`8.2 an invalid value stops the start: ${key}=${value}`, () => {
    const problems = problemsOf({ file: `${key}=${value}` })
    assert.equal(problems.length, 1)
    assert.ok(problems[0]?.startsWith(`${key} must be `), problems[0])
    assert.ok(problems[0]?.endsWith(`, not ${JSON.stringify(value)} (integrationGateway.properties, line 1)`))
  })
}

test('8.2 every key with a missing letter, or two letters swapped, stops the start', () => {
  const keys = describeSettings().map(({ key }) => key)
  const misspelled = keys.flatMap((key) => {
    const at = 3 + Math.floor((key.length - 4) / 2)
    return [key.slice(0, at) + key.slice(at + 1), key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)]
  })
  const file = misspelled.map((key) => `${key}=1`).join('\n')
  const found = new Set(problemsOf({ file }).map((problem) => problem.split(' ')[0]))
  const taken = misspelled.filter((key) => !keys.includes(key) && !found.has(key))
  assert.deepEqual(taken, [])
})

test('8.2 a properties file of the original starts: keys without a meaning here are warnings, all at once', () => {
  const file = [
    ...['ig.isc.serverURL=//server:9000', 'ig.isc.HRDEV.password=abc', 'secureFileKeystorePasswd=abc'],
    ...['ig.fileconnector.password=abc', 'ig.jms.Queue1.User=x', 'ig.httpProxyHost=proxy', 'ig.httpProxyPort=80'],
    ...['ig.connectionTimeout=5', 'ig.ftp.host=x', 'ig.version=8.59', 'ig.log.backup=1', 'log4j.x=1'],
  ]
  const { warnings } = read({ file: [...file, 'ig.log.level=5'].join('\n') })
  assert.deepEqual(
    warnings.map(({ path, message }) => `${path} ${message}`),
    file.map((line, index) => {
      const place = `integrationGateway.properties, line ${index + 1}`
      return `${line.split('=')[0]} is not a setting of the gateway, and is ignored (${place})`
    }),
  )
})

test('8.2 an unknown environment variable is a warning, because others share the environment', () => {
  const own = { IG_DEBUG: '1', IG_ADMIN_TOKEN_FILE: 'x', IG_HEALTHCHECK_TOKEN: 'x', IG_COMPARE_PASSWORD: 'x' }
  const environment = { IG_ERORSTYLE: 'standard', IG_TEST_POSTGRES: 'x', ...own, PATH: '/bin' }
  assert.deepEqual(read({ environment }).warnings, [
    { path: 'IG_ERORSTYLE', message: 'is not the variable of a setting, and is ignored; did you mean IG_ERRORSTYLE?' },
  ])
})

test('8.2 a duplicate key is a warning, and the last one counts', () => {
  const settings = read({ file: 'ig.port=1\nig.port=2' })
  assert.equal(settings.port, 2)
  assert.equal(settings.warnings[0]?.path, 'ig.port')
})

test('8.2 a file with an invalid escape stops the start', () => {
  assert.match(problemsOf({ file: 'ig.dbname=\\u00zz' })[0] ?? '', /^integrationGateway\.properties cannot be read: /)
})

test('8.2 no password of a database URL is repeated', () => {
  for (const value of ['mysql://me:hunter2@host/x', 'postgres://me:hun/ter2@:x', 'mysql://h/x?password=hunter2']) {
    const message = problemsOf({ file: `ig.database=${value}` }).join()
    assert.match(message, /^ig\.database must be /)
    assert.doesNotMatch(message, /ter2/)
  }
})

/** A key, a value, and what becomes of it. */
const goodValues: Readonly<Record<string, readonly [value: string, path: string, expected: unknown]>> = {
  'ig.host': ['::1', 'host', '::1'],
  'ig.port': ['0', 'port', 0],
  'ig.gatewayPath': ['SSCDEV/.well-known', 'gatewayPath', 'SSCDEV/.well-known'],
  'ig.platformName': ['acme-1', 'platformName', 'acme-1'],
  'ig.errorStyle': ['standard', 'errorStyle', 'standard'],
  'ig.json.invalidStatus': ['400', 'jsonInvalidStatus', 400],
  'ig.serviceSystemStatus': ['development', 'serviceSystemStatus', 'development'],
  'ig.OptionsEnabled': ['true', 'optionsEnabled', true],
  'ig.cors.origins': ['https://HR.example:443', 'cors.origins', ['https://hr.example']],
  'ig.cors.allowHeaders': ['A, x-b', 'cors.allowHeaders', ['A', 'x-b']],
  'ig.database': ['postgres://u:p@h:5432/db', 'database', 'postgres://u:p@h:5432/db'],
  'ig.database.connections': ['20', 'databaseConnections', 20],
  'ig.database.handlers': ['postgres://h:p@h:5432/db', 'databaseHandlers', 'postgres://h:p@h:5432/db'],
  'ig.dbname': ['HRDEV', 'dbname', 'HRDEV'],
  'ig.toolsRelease': ['8.59', 'toolsRelease', '8.59'],
  'ig.handlerFolders': ['lib, a/b/', 'handlerFolders', ['lib/', 'a/b/']],
  'ig.fetch.origins': [
    'https://A.example, http://10.0.0.7:8080',
    'fetch.origins',
    ['https://a.example', 'http://10.0.0.7:8080'],
  ],
  'ig.AuthorizationServer': ['SAMPLE', 'authorizationServer', 'SAMPLE'],
  'ig.JSONWebKey': ['https://id.example/keys', 'jsonWebKey', 'https://id.example/keys'],
  'ig.oauth.userMapping': ['email', 'userMapping', 'email'],
  'ig.oauth.tokenKind': ['any', 'tokenKind', 'any'],
  'ig.oauth.privateAddresses': ['refuse', 'privateAddresses', 'refuse'],
  'ig.sampleIssuer.port': ['9090', 'sampleIssuerPort', 9090],
  'ig.admin.host': ['::1', 'admin.host', '::1'],
  'ig.admin.port': ['9091', 'admin.port', 9091],
  'ig.admin.allow': ['10.0.0.0/8', 'admin.allow.networks', ['10.0.0.0/8']],
  'ig.admin.tls.cert': ['tls/admin.pem', 'admin.tls.cert', join(folder, 'tls/admin.pem')],
  'ig.admin.tls.key': ['/tls/admin-key.pem', 'admin.tls.key', '/tls/admin-key.pem'],
  'ig.admin.passwords': ['On', 'admin.passwords', true],
  'ig.admin.secondFactor': ['required', 'admin.secondFactor', 'required'],
  'ig.admin.oidc.issuer': ['http://127.0.0.1:8090', 'admin.oidc.issuer', 'http://127.0.0.1:8090'],
  'ig.admin.oidc.clientId': ['gateway', 'admin.oidc.clientId', 'gateway'],
  'ig.admin.oidc.clientSecret': ['s3cret', 'admin.oidc.clientSecret', 's3cret'],
  'ig.admin.oidc.scopes': ['groups openid', 'admin.oidc.scopes', 'groups openid'],
  'ig.admin.oidc.nameClaim': ['name', 'admin.oidc.nameClaim', 'name'],
  'ig.admin.oidc.roleClaim': ['realm_access.roles', 'admin.oidc.roleClaim', 'realm_access.roles'],
  'ig.admin.oidc.administrators': ['a, b c', 'admin.oidc.administrators', ['a', 'b c']],
  'ig.admin.oidc.operators': ['a', 'admin.oidc.operators', ['a']],
  'ig.admin.oidc.viewers': ['a', 'admin.oidc.viewers', ['a']],
  'ig.admin.oidc.label': ['Acme', 'admin.oidc.label', 'Acme'],
  'ig.tls.versions': ['1.3', 'tls.minVersion', 'TLSv1.3'],
  'ig.tls.ciphers': ['TLS_AES_256_GCM_SHA384', 'tls.ciphers', 'TLS_AES_256_GCM_SHA384'],
  'ig.tls.strictFiles': ['true', 'tls.strictFiles', true],
  'ig.tls.cert': ['tls/cert.pem', 'tls.cert', join(folder, 'tls/cert.pem')],
  'ig.tls.key': ['/tls/key.pem', 'tls.key', '/tls/key.pem'],
  'ig.tls.port': ['443', 'tls.port', 443],
  'ig.tls.clientCa': ['ca.pem', 'tls.clientCa', join(folder, 'ca.pem')],
  'ig.tls.clientCrl': ['crl.pem', 'tls.clientCrl', join(folder, 'crl.pem')],
  'ig.tls.hsts': ['2d', 'hsts', 'max-age=172800'],
  'ig.trustedProxies': ['10.0.0.2, fd00::/8', 'proxies.list.networks', ['10.0.0.2', 'fd00::/8']],
  'ig.trustedProxies.header': ['forwarded', 'proxies.header', 'forwarded'],
  'ig.proxyProtocol': ['true', 'proxies.protocol', true],
  'ig.proxy.clientCertificates': ['true', 'proxies.clientCa', join(folder, 'ca')],
  'ig.compat.emptySegments': ['true', 'compatibility.emptySegments', true],
  'ig.compat.sessionSuffix': ['true', 'compatibility.sessionSuffix', true],
  'ig.compat.rawUrlBytes': ['true', 'compatibility.rawUrlBytes', true],
  'ig.compat.operatorCase': ['true', 'compatibility.operatorCase', true],
  'ig.log.level': ['-100', 'log.level', -100],
  'ig.log.masking': ['strict', 'log.masking', 'strict'],
  'ig.log.healthChecks': ['true', 'log.healthChecks', true],
  'ig.log.files': ['false', 'log.hasFiles', false],
  'ig.messageLog.filename': ['m.html', 'log.messageLogFile', join(folder, 'm.html')],
  'ig.messageLog.maxSize': ['500', 'log.messageLogMaxSize', 500],
  'ig.messageLog.maxNbBackupFiles': ['0', 'log.messageLogMaxBackupFiles', 0],
  'ig.errorLog.filename': ['e.html', 'log.errorLogFile', join(folder, 'e.html')],
  'ig.errorLog.maxSize': ['1', 'log.errorLogMaxSize', 1],
  'ig.errorLog.maxNbBackupFiles': ['9', 'log.errorLogMaxBackupFiles', 9],
  'ig.recentTransactions': ['0', 'recentTransactions', 0],
  'ig.workers': ['4', 'workers.count', 4],
  'ig.workers.stallTimeout': ['2s', 'workers.stallTimeout', 2000],
  'ig.limits.url': ['4096', 'limits.maxUrlBytes', 4096],
  'ig.limits.headers': ['16KiB', 'limits.maxHeaderBytes', 16_384],
  'ig.limits.body': ['1GiB', 'limits.maxBodyBytes', 1024 ** 3],
  'ig.limits.bodyInMemory': ['2 MiB', 'limits.spoolMemoryBytes', 2 * 1024 ** 2],
  'ig.limits.memory': ['64MiB', 'limits.memoryBytes', 64 * 1024 ** 2],
  'ig.limits.handlerTimeout': ['500ms', 'limits.handlerTimeout', 500],
  'ig.limits.databaseWait': ['2s', 'limits.databaseWait', 2000],
  'ig.limits.streams': ['2', 'limits.streams', 2],
  'ig.limits.streamTime': ['1h', 'limits.streamTime', 3_600_000],
  'ig.limits.headersTimeout': ['1min', 'limits.headersTimeout', 60_000],
  'ig.limits.bodyTimeout': ['1h', 'limits.bodyTimeout', 3_600_000],
  'ig.limits.responseTimeout': ['9 s', 'limits.responseTimeout', 9000],
  'ig.limits.keepAliveTimeout': ['7s', 'limits.keepAliveTimeout', 7000],
  'ig.limits.guessDelay': ['2s', 'limits.guessDelay', 2000],
  'ig.limits.shutdownGrace': ['1ms', 'limits.shutdownGrace', 1],
  'ig.limits.shutdownIdle': ['3s', 'limits.shutdownIdle', 3000],
  'ig.cache.strict': ['true', 'cacheStrict', true],
  'ig.limits.json': ['9KiB', 'limits.jsonMaxBytes', 9216],
  'ig.limits.xmlDepth': ['10', 'limits.xmlMaxDepth', 10],
  'ig.limits.xmlAttributes': ['11', 'limits.xmlMaxAttributes', 11],
  'ig.limits.xmlTextLength': ['12', 'limits.xmlMaxTextLength', 12],
}
const tlsPair =
  'ig.trustedProxies=192.0.2.9\nig.tls.cert=c\nig.tls.key=k\nig.tls.clientCa=ca\nig.admin.tls.cert=c\nig.admin.tls.key=k\nig.admin.oidc.issuer=https://d\nig.admin.oidc.clientId=d\nig.admin.oidc.viewers=d\n'
/** Of the kernel: each feature tests its own. */
const ofFeatures = listContributions<Readonly<Record<string, Rows>>>('settings').flatMap(Object.values<Rows>)
const described = describeSettings().filter(({ key }) => !ofFeatures.flatMap(listRows).some((row) => row.key === key))

test('8.1, 8.3 every key is read from the file and, in capitals and with underscores, from the environment', () => {
  const inFile = described.filter(({ key }) => !key.startsWith('ig.secretKey')) // 8.9
  assert.deepEqual(inFile.map(({ key }) => key).sort(), Object.keys(goodValues).sort())
  for (const { key, variable } of inFile) {
    const [value, path, expected] = goodValues[key] ?? []
    assert.equal(variable, key.toUpperCase().replaceAll('.', '_'))
    assert.deepEqual(find(read({ file: `${tlsPair}${key}=${value}` }), path ?? ''), expected, key)
    assert.deepEqual(find(read({ file: tlsPair, environment: { [variable]: value ?? '' } }), path ?? ''), expected, key)
  }
})

test('8.3 every key has a description, its valid values, its default and a line of help', () => {
  for (const { key, values, help, fallback } of described) {
    assert.ok(values.length > 0 && help.length > 0, key)
    if (fallback !== undefined) assert.deepEqual(problemsOf({ file: `${tlsPair}${key}=${fallback}` }), [], key)
  }
})

test('8.3 the defaults', () => {
  const { log, limits, warnings, given, toolsRelease, ofHandlers, ...settings } = read({})
  const names = new Set(ofFeatures.flatMap((group) => Object.keys(group)))
  assert.deepEqual(Object.fromEntries(Object.entries(settings).filter(([name]) => !names.has(name))), {
    host: '127.0.0.1',
    port: 8080,
    gatewayPath: 'PSIGW',
    platformName: 'platform',
    errorStyle: 'observed',
    jsonInvalidStatus: 422,
    serviceSystemStatus: 'production',
    database: join(folder, 'data/gateway.sqlite'),
    cacheStrict: false,
    secretKey: undefined,
    dbname: 'GATEWAY',
    optionsEnabled: false,
    cors: {
      origins: undefined,
      allowHeaders: [
        ...['Authorization', 'Content-Type', 'PS_TOKEN', 'LanguageCd', 'X-Requested-With', 'Idempotency-Key'],
        ...['If-Match', 'If-None-Match'],
      ],
    },
    tls: undefined,
    hsts: undefined,
    compatibility: { emptySegments: false, sessionSuffix: false, rawUrlBytes: false, operatorCase: false },
    proxies: undefined,
    handlerFolders: ['handlers/', 'src/'],
    fetch: { origins: undefined },
    authorizationServer: undefined,
    jsonWebKey: undefined,
    userMapping: 'sub+email',
    tokenKind: 'access',
    privateAddresses: 'allow',
    sampleIssuerPort: 8090,
    databaseConnections: undefined,
    databaseHandlers: undefined,
    workers: { count: undefined, stallTimeout: 10_000 },
    admin: {
      host: '127.0.0.1',
      port: 8081,
      allow: undefined,
      tls: undefined,
      passwords: true,
      secondFactor: 'optional',
      oidc: undefined,
    },
    recentTransactions: 1000,
  })
  assert.match(toolsRelease, /^\d+\.\d+\.\d+/)
  assert.equal(given.size, 0)
  assert.deepEqual(warnings, [])
  assert.deepEqual(pick(log, 'messageLogFile', 'errorLogFile'), {
    messageLogFile: join(folder, 'data/logs/msgLog.html'),
    errorLogFile: join(folder, 'data/logs/errorLog.html'),
  })
})

test('8.9 ig.secretKey comes from the environment, a file that it names or a systemd credential, and is never shown', () => {
  const secret = 'a secret key of more than 32 characters'
  const place = mkdtempSync(join(tmpdir(), 'ig-secret-'))
  writeFileSync(join(place, 'ig.secretKey'), `${secret}\n`)
  const salt = Buffer.alloc(32)
  const environments: readonly Readonly<Record<string, string>>[] = [
    { IG_SECRETKEY: secret },
    { IG_SECRETKEY_FILE: join(place, 'ig.secretKey') },
    { CREDENTIALS_DIRECTORY: place },
  ]
  const keys = environments.map((environment) => {
    const settings = read({ environment })
    assert.doesNotMatch(inspect(settings, { depth: 9 }) + JSON.stringify(settings), /a secret key/)
    assert.equal(settings.given.get('ig.secretKey')?.value, '***')
    assert.deepEqual(settings.warnings, [])
    return settings.secretKey?.derive('a test', salt).toString('hex')
  })
  assert.deepEqual(new Set(keys), new Set([new SecretKey(secret).derive('a test', salt).toString('hex')]))
  assert.notEqual(keys[0], new SecretKey(secret).derive('another test', salt).toString('hex'))
  rmSync(place, { recursive: true })
})

test('8.9 a secret key that is in the project, too short or unreadable stops the start and is not repeated', () => {
  assert.match(
    problemsOf({ file: 'ig.secretKey=hunter2' })[0] ?? '',
    /^ig\.secretKey must not be in the project\. Remove it/,
  )
  const short = problemsOf({ environment: { IG_SECRETKEY: 'hunter2' } })
  assert.match(short[0] ?? '', /^ig\.secretKey must have 32 characters or more; openssl rand -base64 32 makes one/)
  const missing = problemsOf({ environment: { IG_SECRETKEY_FILE: '/nowhere/key' } })
  assert.deepEqual(missing, ['ig.secretKey cannot be read from IG_SECRETKEY_FILE: there is no such file'])
  const place = mkdtempSync(join(tmpdir(), 'ig-secret-'))
  writeFileSync(join(place, 'ig.secretKey'), '\n')
  const credential = problemsOf({ environment: { CREDENTIALS_DIRECTORY: place } })
  assert.deepEqual(credential, ['ig.secretKey is empty in the systemd credential'])
  const file = problemsOf({ environment: { IG_SECRETKEY_FILE: join(place, 'ig.secretKey') } })
  assert.deepEqual(file, ['ig.secretKey is empty in IG_SECRETKEY_FILE'])
  assert.doesNotMatch([...short, ...missing].join(), /hunter2/)
})

test('7.6 the default limits of URL, headers, body and handler', () => {
  const { limits } = read({})
  assert.deepEqual(pick(limits, 'maxUrlBytes', 'maxHeaderBytes', 'maxBodyBytes', 'handlerTimeout'), {
    maxUrlBytes: 8 * 1024,
    maxHeaderBytes: 32 * 1024,
    maxBodyBytes: 256 * 1024 * 1024,
    handlerTimeout: 30_000,
  })
})

test('8.3 a certificate without its key, or a key without its certificate, stops the start', () => {
  assert.deepEqual(problemsOf({ file: 'ig.tls.cert=c' }), ['ig.tls.key is missing: ig.tls.cert needs its private key'])
  assert.deepEqual(problemsOf({ file: 'ig.tls.key=k' }), ['ig.tls.cert is missing: ig.tls.key needs its certificate'])
})

test('8.3 the two logs cannot be one file', () => {
  const file = 'ig.messageLog.filename=log.html\nig.errorLog.filename=./log.html'
  assert.deepEqual(problemsOf({ file }), ['ig.errorLog.filename must differ from ig.messageLog.filename'])
})

test('8.4 ig.database is an SQLite file in the project folder, or the URL of a PostgreSQL database', () => {
  assert.equal(read({ file: 'ig.database=x/y.db' }).database, join(folder, 'x/y.db'))
  assert.equal(read({ file: 'ig.database=postgresql://h/db' }).database, 'postgresql://h/db')
})

test('8.4 a PostgreSQL URL may omit the host, and name it or a socket folder as a parameter', () => {
  for (const url of [
    'postgres://user:pw@/db?host=/run/postgresql',
    'postgres://user:pw@/db?host=127.0.0.1&port=5433',
    'postgres:///db?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/db',
    'postgres://h/db?user=me@h&password=pw',
  ])
    assert.equal(read({ environment: { IG_DATABASE: url } }).database, url)
})

test('8.2, 8.4 for an invalid PostgreSQL URL the error says what to write instead, and repeats nothing of it', () => {
  for (const url of [
    'postgres://user:hun/ter2@h/db',
    'postgres://user:hunter2@ter2/x@h/db',
    'postgres://user:7#hunter2@h/db',
    'postgres://user:7?hunter2@h/db',
    'postgres://user:hunter2@/x/y@h/db',
    'postgres://user:hunter2@:5432/db',
    'postgres://user:hunter2@h1:5432,h2:5432/db',
    'postgres:user:hunter2',
    'postgres://user:hunter2',
    'postgres://user:hunter2/db',
  ]) {
    const [message = ''] = problemsOf({ environment: { IG_DATABASE: url } })
    assert.match(
      message,
      /must be .*postgres:\/\/user:password@\/name\?host=\/run\/postgresql.*; one host.*%2F %3F %23 %40 %25/,
    )
    assert.doesNotMatch(message, /ter2|7/)
  }
})

test('8.5 the log level is -100, -1 or 1 to 5, by default 3', () => {
  const levels = ['-100', '-1', '1', '2', '3', '4', '5']
  assert.deepEqual(
    levels.map((level) => String(read({ file: `ig.log.level=${level}` }).log.level)),
    levels,
  )
  assert.equal(read({}).log.level, 3)
})

test('8.7, 18.29 the URL of a setting is printed without its password and the secrets in its query', () => {
  const masked = [
    ['postgres://me:hunter2@host:5432/db', 'postgres://me:***@host:5432/db'],
    ['postgres://me:hun@ter2@host/db', 'postgres://me:***@host/db'],
    [
      'https://collector/v1/traces?code=hunter2;x&y=1&sig=hunter2#a',
      'https://collector/v1/traces?code=***&y=1&sig=***#a',
    ],
    ['https://host/jwks?y=1&subscription%2Dkey=hunter2', 'https://host/jwks?y=1&subscription%2Dkey=***'],
    ['https://collector/v1/traces?x-api-key=hunter2&y=1', 'https://collector/v1/traces?x-api-key=***&y=1'],
    [
      'postgres://host/db?user=me&password=hunter2&sslmode=require',
      'postgres://host/db?user=me&password=***&sslmode=require',
    ],
    ['postgres://me@host/db', 'postgres://me@host/db'],
    ['postgres://host:5432/db', 'postgres://host:5432/db'],
    ['postgres://[::1]:5432/db', 'postgres://[::1]:5432/db'],
    ['postgres://me:hunter2/db', 'postgres://me:***'],
    ['/srv/data/gateway.sqlite', '/srv/data/gateway.sqlite'],
  ]
  for (const [database = '', expected] of masked) assert.equal(maskDatabase(database), expected)
})

function pick<T extends object, K extends keyof T>(object: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, K>
}

function find(settings: Settings, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings)
}

const remote = 'postgres://u:hunter2@db.example:5432/x'
/** What is warned of, by URL and by `PGSSLMODE`. */
const databaseWarnings: readonly (readonly [url: string, warning: RegExp | undefined, mode?: string])[] = [
  [remote, /^is reached without TLS at db\.example: .*sslmode=verify-full/],
  [`${remote}?sslmode=disable`, /without TLS/],
  [`${remote}?ssl=0`, /without TLS/],
  [`${remote}?sslmode=no-verify`, /^does not verify the identity of db\.example/],
  [`${remote}?sslmode=require&uselibpqcompat=true`, /does not verify/],
  [remote, /does not verify/, 'no-verify'],
  [remote, undefined, 'verify-full'],
  [`${remote}?sslmode=disable`, /without TLS/, 'verify-full'],
  [`${remote}?sslmode=verify-full`, undefined],
  [`${remote}?sslmode=require`, undefined], // verified by the driver
  [`${remote}?ssl=true`, undefined],
  [`${remote}?sslrootcert=/ca.pem`, undefined],
  ['postgres://u:p@localhost/x', undefined],
  ['postgres://u:p@127.0.0.1:5432/x', undefined],
  ['postgres://u:p@[::1]:5432/x', undefined],
  ['postgres:///x?host=/run/postgresql', undefined],
  ['postgres://u:hunter2@/x?host=/run/postgresql', undefined],
  ['postgres://u:hunter2@/x?host=db.example', /^is reached without TLS at db\.example: /],
  ['data/gateway.sqlite', undefined],
]
for (const [url, expected, mode] of databaseWarnings) {
  const by = mode === undefined ? '' : ` and PGSSLMODE=${mode}`
  test(`8.4 ${maskDatabase(url)}${by} ${expected ? 'causes a warning' : 'is accepted without a warning'}`, () => {
    const environment = { IG_DATABASE: url, ...(mode !== undefined && { PGSSLMODE: mode }) }
    const messages = read({ environment }).warnings.map(({ path, message }) => `${path} ${message}`)
    assert.equal(messages.length, expected ? 1 : 0)
    if (!expected) return
    assert.match(messages[0]?.replace(/^ig\.database /, '') ?? '', expected)
    assert.doesNotMatch(messages.join(), /hunter2/)
  })
}

test("8.4, 5.16 the handlers' database connection causes the same warnings", () => {
  const environment = { IG_DATABASE: 'postgres://u:p@localhost/x', IG_DATABASE_HANDLERS: remote }
  assert.deepEqual(
    read({ environment }).warnings.map(({ path }) => path),
    ['ig.database.handlers'],
  )
})

test('7.14 a private key that others can read is a warning, and with ig.tls.strictFiles=true stops the start', () => {
  const place = mkdtempSync(join(tmpdir(), 'ig-key-'))
  const key = join(place, 'key.pem')
  const file = `ig.tls.cert=c\nig.tls.key=${key}\nig.admin.tls.cert=c\nig.admin.tls.key=${key}`
  const isRoot = process.getuid?.() === 0
  writeFileSync(key, '')
  const rows: readonly (readonly [number, boolean])[] = [
    [0o600, true],
    [0o400, true],
    [0o640, isRoot],
    [0o644, false],
    [0o660, false],
  ]
  for (const [mode, isFine] of rows) {
    chmodSync(key, mode)
    const paths = read({ file }).warnings.map(({ path }) => path)
    assert.deepEqual(paths, isFine ? [] : ['ig.tls.key', 'ig.admin.tls.key'], mode.toString(8))
    const strict = problemsOf({ file: `${file}\nig.tls.strictFiles=true` }).map((text) => text.split(' ')[0])
    assert.deepEqual(strict, paths, mode.toString(8))
  }
  const [warning] = read({ file }).warnings
  assert.equal(warning?.message, `can be read or changed by other users (mode 660): chmod 600 ${key}`)
})

test('7.15 plain text on all addresses is a warning, and off needs TLS', () => {
  const warnings = (file: string) => read({ file }).warnings.map(({ path }) => path)
  for (const host of ['0.0.0.0', '::', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', '00', '0x0'])
    assert.deepEqual(warnings(`ig.host=${host}`), ['ig.host'])
  for (const host of ['127.0.0.1', '10.0.0.1', '::1', 'localhost']) assert.deepEqual(warnings(`ig.host=${host}`), [])
  const tls = 'ig.tls.cert=c\nig.tls.key=k'
  assert.deepEqual(warnings(`ig.host=0.0.0.0\nig.port=off\n${tls}`), [])
  assert.equal(read({ file: `ig.port=off\n${tls}` }).port, undefined)
  assert.match(problemsOf({ file: 'ig.port=off' }).join(), /^ig\.port is off, and there is no TLS listener/)
})

test('34.1, 34.8 an identity provider needs https or loopback, a client ID and a role; its secret is never shown', () => {
  const issuer = 'ig.admin.oidc.issuer=https://login.example'
  const complete = `${issuer}\nig.admin.oidc.clientId=gateway\nig.admin.oidc.viewers=staff`
  for (const [file, problem] of [
    ['ig.admin.oidc.issuer=http://login.example', /^ig\.admin\.oidc\.issuer must be an https URL without query, or/],
    ['ig.admin.oidc.issuer=https://login.example?a=b', /^ig\.admin\.oidc\.issuer must be/],
    [issuer, /^ig\.admin\.oidc\.clientId is missing/],
    [
      `${issuer}\nig.admin.oidc.clientId=a`,
      /^ig\.admin\.oidc\.administrators is missing, as are operators and viewers/,
    ],
    [`${complete}\nig.admin.oidc.operators=a,,b`, /^ig\.admin\.oidc\.operators must be values/],
    [`${complete}\nig.admin.oidc.scopes=email`, /^ig\.admin\.oidc\.scopes must be scopes with openid/],
    ['ig.admin.passwords=off', /^ig\.admin\.passwords is off, and no one could sign in/],
  ] as const)
    assert.match(problemsOf({ file })[0] ?? '', problem, file)
  assert.equal(find(read({ file: complete }), 'admin.oidc.clientSecret'), undefined)
  const place = mkdtempSync(join(tmpdir(), 'ig-oidc-'))
  const path = join(place, 'secret')
  writeFileSync(path, 'hunter2\n')
  const settings = read({ file: complete, environment: { IG_ADMIN_OIDC_CLIENTSECRET_FILE: path } })
  assert.equal(find(settings, 'admin.oidc.clientSecret'), 'hunter2')
  assert.deepEqual(settings.given.get('ig.admin.oidc.clientSecret'), {
    value: '***',
    source: 'IG_ADMIN_OIDC_CLIENTSECRET_FILE',
  })
  rmSync(place, { recursive: true })
})
