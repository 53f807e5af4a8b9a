/**
 * Loads OpenTelemetry's SDK and the exporter that its variables name, if calls are traced (specification 20.12). Both
 * are optional peer dependencies: a gateway without traces needs neither.
 */
import { createRequire } from 'node:module'
import type { Problem } from '../../model/problem.ts'
import { type Settings, SettingsProblems } from '../../settings.ts'
import type { OpenTelemetry } from './tracing.ts'

const sdkPackage = '@opentelemetry/sdk-trace-base'
const versions: Readonly<Record<string, string>> = { [sdkPackage]: '2', '@opentelemetry/exporter-zipkin': '2' }
const otlpVersion = '0.223'

/** Exporters for `OTEL_TRACES_EXPORTER`; those of `otlp` by protocol. */
const exporters = {
  'otlp http/json': ['@opentelemetry/exporter-trace-otlp-http', 'OTLPTraceExporter'],
  'otlp http/protobuf': ['@opentelemetry/exporter-trace-otlp-proto', 'OTLPTraceExporter'],
  'otlp grpc': ['@opentelemetry/exporter-trace-otlp-grpc', 'OTLPTraceExporter'],
  zipkin: ['@opentelemetry/exporter-zipkin', 'ZipkinExporter'],
  console: [sdkPackage, 'ConsoleSpanExporter'],
} as const satisfies Readonly<Record<string, readonly [packageName: string, className: string]>>

type Attributes = Readonly<Record<string, string>>

interface Resources {
  resourceFromAttributes(attributes: Attributes): OpenTelemetry['resource']
  detectResources(options: { readonly detectors: readonly unknown[] }): OpenTelemetry['resource']
  readonly envDetector: unknown
}

const require = createRequire(import.meta.url)

/** @returns undefined if its variables disable it. @throws SettingsProblems if it cannot be loaded */
export function loadOpenTelemetry(
  endpoint: string,
  attributes: Attributes,
  environment: NodeJS.ProcessEnv,
): OpenTelemetry | undefined {
  const name = chooseExporter(environment)
  if (name === 'none') return undefined
  const problems = findTracingProblems(environment)
  if (problems.length > 0) throw new SettingsProblems(problems)
  const [exporterPackage, className] = exporters[name as keyof typeof exporters]
  const ofSdk = createRequire(require.resolve(sdkPackage)) // dependencies of the SDK
  const { resourceFromAttributes, detectResources, envDetector } = ofSdk('@opentelemetry/resources') as Resources
  const Exporter = require(exporterPackage)[className] as new (options: { url: string }) => OpenTelemetry['exporter']
  return {
    api: ofSdk('@opentelemetry/api') as OpenTelemetry['api'],
    sdk: require(sdkPackage) as OpenTelemetry['sdk'],
    exporter: new Exporter({ url: endpoint }),
    resource: resourceFromAttributes(attributes).merge(detectResources({ detectors: [envDetector] })),
  }
}

export function findEnvironmentWarnings({ tracing }: Settings, environment: NodeJS.ProcessEnv): readonly Problem[] {
  return tracing.endpoint === undefined ? [] : findTracingProblems(environment)
}

/** Why calls cannot be traced although `ig.tracing.endpoint` is set. */
export function findTracingProblems(environment: NodeJS.ProcessEnv): readonly Problem[] {
  const name = chooseExporter(environment)
  if (name === 'none') return []
  const path = 'ig.tracing.endpoint'
  if (!Object.hasOwn(exporters, name)) {
    const known = Object.keys(exporters).join(', ')
    return [{ path, message: `takes traces by one of ${known}; OTEL_* names ${name}` }]
  }
  const names = [...new Set([sdkPackage, exporters[name as keyof typeof exporters][0]])]
  if (names.every(isInstalled)) return []
  const wanted = names.map((each) => `${each}@${versions[each] ?? otlpVersion}`)
  return [{ path, message: `needs OpenTelemetry's SDK, which is not installed here: npm install ${wanted.join(' ')}` }]
}

/** From OpenTelemetry's variables: a key of the table, `none`, or an unknown name. */
function chooseExporter(environment: NodeJS.ProcessEnv): string {
  const read = (name: string, fallback: string) => environment[name]?.trim() || fallback
  if (read('OTEL_SDK_DISABLED', 'false').toLowerCase() === 'true') return 'none'
  const exporter = read('OTEL_TRACES_EXPORTER', 'otlp')
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', read('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json'))
  return exporter === 'otlp' ? `otlp ${protocol}` : exporter
}

function isInstalled(name: string): boolean {
  try {
    return require.resolve(name) !== ''
  } catch {
    return false
  }
}
