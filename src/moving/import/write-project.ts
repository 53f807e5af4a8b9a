/** Writes the text files of an imported project (specification 16.8). */
import { quoteShell, showLine, writeJson, writeProperty } from '../../base/escape.ts'
import { sampleIssuerUrl } from '../../configuration/sample-issuer.ts'
import { packageVersion } from '../../settings/package-version.ts'
import type { AssembledProject, ReviewedOperation } from './assemble.ts'
import { defaultUser, fullList, needsProvider, publicList } from './assemble.ts'
import { isOpen } from './verification.ts'

export interface ProjectText {
  readonly source: string
  /** Random passwords for sample operators, new at each call. */
  readonly newPassword: () => string
  readonly writeLiteral: (value: unknown) => string
}

/** The first line of a configuration that an import wrote and may replace. */
export const marker = '/** Imported by ig import'

export function writeProjectTexts(project: AssembledProject, text: ProjectText): Readonly<Record<string, string>> {
  return {
    'gateway.config.ts': writeConfiguration(project, text),
    'integrationGateway.properties': writeSettings(project),
    'package.json': `${writeJson(describePackage(), 2)}\n`,
    '.gitignore': 'node_modules/\ndata/\n',
  }
}

/** For a definition in a file of its own, which later recordings are added to; operators for both kinds of calls. */
export function writeGrowingTexts(
  project: AssembledProject,
  definitionFile: string,
  text: Omit<ProjectText, 'source'>,
): Readonly<Record<string, string>> {
  const operators = needsOperators([{ verification: 'NONE' }, { verification: 'Basic' }]).map((needed) =>
    writeOperator(needed, text, true),
  )
  const configuration = [
    '/** Serves what ig record has recorded. This file is yours: ig record wrote it once and does not change it. */',
    "import type { GatewayDefinition } from 'integration-gateway'",
    `import recorded from './${definitionFile}' with { type: 'json' }`,
    '',
    'export default recorded as GatewayDefinition',
    '',
    '/** For `ig dev` only, with random passwords; `ig start` never uses them. */',
    `export const sampleOperators = ${text.writeLiteral(operators)}`,
    '',
  ].join('\n')
  return { ...writeProjectTexts(project, { ...text, source: '' }), 'gateway.config.ts': configuration }
}

function writeOperator(
  { id, permissionList }: NeededOperator,
  { newPassword }: Pick<ProjectText, 'newPassword'>,
  hasSecret: boolean,
) {
  return {
    id,
    password: newPassword(),
    ...(hasSecret ? { clientSecret: newPassword() } : {}),
    email: `${id.toLowerCase()}@example.com`,
    permissionLists: [permissionList],
  }
}

function writeConfiguration({ definition, operations }: AssembledProject, text: ProjectText): string {
  const operators = needsOperators(operations).map((needed) =>
    writeOperator(needed, text, operations.some(needsProvider)),
  )
  return [
    `${marker} from ${showLine(text.source, 300).replaceAll('*/', '* /')}: every operation responds with a file from fixtures/. */`,
    "import type { GatewayDefinition } from 'integration-gateway'",
    '',
    `export default ${text.writeLiteral(definition)} satisfies GatewayDefinition`,
    '',
    '/** For `ig dev` only, with random passwords; `ig start` never uses them. */',
    `export const sampleOperators = ${text.writeLiteral(operators)}`,
    '',
  ].join('\n')
}

interface NeededOperator {
  readonly id: string
  readonly permissionList: string
  readonly hasPassword: boolean
}

/** Operators that calls need. */
function needsOperators(operations: readonly Pick<ReviewedOperation, 'verification'>[]): readonly NeededOperator[] {
  const hasOpen = operations.some(isOpen)
  const hasClosed = operations.some((one) => !isOpen(one))
  return [
    ...(hasOpen ? [{ id: defaultUser, permissionList: publicList, hasPassword: false }] : []),
    ...(hasClosed ? [{ id: 'DEMO', permissionList: fullList, hasPassword: true }] : []),
  ]
}

/** The commands that add them. */
export function writeNeeded(
  operations: readonly Pick<ReviewedOperation, 'verification'>[],
  folder: string,
): readonly string[] {
  return needsOperators(operations).map(({ id, permissionList, hasPassword }) => {
    return `  ig operator add ${id}${hasPassword ? '' : ' --no-password'} --permission-list ${permissionList} --project ${quoteShell(folder)}`
  })
}

function writeSettings({ gatewayPath, operations }: AssembledProject): string {
  return [
    '# Settings, read at start; "ig settings" lists all of them. Each can be an environment variable: IG_PORT=9080.',
    `${gatewayPath === 'PSIGW' ? '# ' : ''}${writeProperty('ig.gatewayPath', gatewayPath)}`,
    ...(operations.some(needsProvider)
      ? [
          '# OAuth2: an item of oauth2ServiceApps in gateway.config.ts, and where its keys are. This is the sample issuer that',
          '# "ig dev" brings along; for production, name your own in both places.',
          'ig.AuthorizationServer=SAMPLE_ISSUER',
          writeProperty('ig.JSONWebKey', `${sampleIssuerUrl}/jwks`),
        ]
      : []),
    '',
  ].join('\n')
}

export function describePackage() {
  return {
    name: 'imported-gateway',
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: { dev: 'ig dev', start: 'ig start', check: 'ig check' },
    dependencies: { 'integration-gateway': packageVersion() },
  }
}
