/**
 * Loads OpenTelemetry's SDK and the exporter that its variables name, where calls are traced (specification 20.12). Both are
 * optional peer dependencies: a gateway that traces nothing needs none of them.
 */
import { createRequire } from 'node:module'
import type { OpenTelemetry } from '../observe/tracing.ts'
import { Failure } from '../terminal/explain-failure.ts'

const sdkPackage = '@opentelemetry/sdk-trace-base'
const versions: Readonly<Record<string, string>> = { [sdkPackage]: '2', '@opentelemetry/exporter-zipkin': '2' }
const otlpVersion = '0.223'

/** Exporters that `OTEL_TRACES_EXPORTER` names; those of `otlp` by protocol. */
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

/** @returns undefined where its variables switch it off. @throws Failure where a package is not installed */
export function loadOpenTelemetry(
  endpoint: string,
  attributes: Attributes,
  environment: NodeJS.ProcessEnv,
  load: NodeJS.Require = createRequire(import.meta.url),
): OpenTelemetry | undefined {
  const read = (name: string, fallback: string) => environment[name]?.trim() || fallback
  const kind = read('OTEL_TRACES_EXPORTER', 'otlp')
  if (kind === 'none' || read('OTEL_SDK_DISABLED', 'false').toLowerCase() === 'true') return undefined
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', read('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json'))
  const name = kind === 'otlp' ? `otlp ${protocol}` : kind
  if (!Object.hasOwn(exporters, name))
    throw new Failure(
      `Traces cannot be sent as ${name}. OTEL_TRACES_EXPORTER is one of otlp, zipkin, console, none; ` +
        'OTEL_EXPORTER_OTLP_PROTOCOL one of http/json, http/protobuf, grpc',
    )
  const [exporterPackage, className] = exporters[name as keyof typeof exporters]
  requirePackages([...new Set([sdkPackage, exporterPackage])], load)
  const ofSdk = createRequire(load.resolve(sdkPackage)) // what came with it
  const { resourceFromAttributes, detectResources, envDetector } = ofSdk('@opentelemetry/resources') as Resources
  const Exporter = load(exporterPackage)[className] as new (options: { url: string }) => OpenTelemetry['exporter']
  return {
    api: ofSdk('@opentelemetry/api') as OpenTelemetry['api'],
    sdk: load(sdkPackage) as OpenTelemetry['sdk'],
    exporter: new Exporter({ url: endpoint }),
    resource: resourceFromAttributes(attributes).merge(detectResources({ detectors: [envDetector] })),
  }
}

function requirePackages(names: readonly string[], { resolve }: NodeJS.Require): void {
  const missing = names.filter((name) => {
    try {
      return resolve(name) === ''
    } catch {
      return true
    }
  })
  if (missing.length === 0) return
  const wanted = names.map((name) => `${name}@${versions[name] ?? otlpVersion}`)
  throw new Failure(
    `ig.tracing.endpoint sends traces by OpenTelemetry's SDK; ${missing.join(' and ')} is not installed here:\n` +
      `  npm install ${wanted.join(' ')}`,
  )
}
