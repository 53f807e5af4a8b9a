/** Writes a project whose operations the original continues to answer (specification 16.14, 16.19). */
import { basename, resolve } from 'node:path'
import { showLine } from '../../base/escape.ts'
import { serverUrl } from '../../configuration/fields.ts'
import type { Problem } from '../../model/problem.ts'
import type { Verification } from '../../model/verification.ts'
import { writeLiteral } from '../../project/write-literal.ts'
import { Failure } from '../../terminal/explain-failure.ts'
import { show } from '../../terminal/print.ts'
import type { DefinedOperation, Definitions } from './definitions.ts'
import { writeFolder } from './write-folder.ts'
import { describePackage, marker } from './write-project.ts'

export interface PassedOperation extends DefinedOperation {
  readonly verification: Verification
  readonly handler: { readonly passThrough: string; readonly credentials?: string; readonly cookies?: string }
}

export interface PassedProject {
  /** The first is the default local node. */
  readonly nodes: readonly string[]
  /** The default user of the node ANONYMOUS: calls without credentials run as it. */
  readonly defaultUser?: string | undefined
  readonly gatewayPath?: string | undefined
  readonly operations: readonly PassedOperation[]
  readonly listeners?: readonly object[] | undefined
  readonly permissionLists: Definitions['permissionLists']
  /** The file for `ig operator import`. */
  readonly operators?: string | undefined
}

/** @returns what is wrong with the project; then nothing is written */
export async function writePassedThrough(
  { nodes, defaultUser, gatewayPath, operations, listeners = [], permissionLists, operators }: PassedProject,
  from: string,
  folder: string,
  { upstream, dryRun = false }: { readonly upstream: string; readonly dryRun?: boolean },
): Promise<readonly Problem[]> {
  const { error } = serverUrl.safeParse(upstream)
  if (error) throw new Failure(`--upstream ${show(upstream)} ${error.issues[0]?.message}.`)
  const [defaultNode = 'LOCAL_NODE', ...others] = nodes
  const definition = {
    nodes: [
      { name: defaultNode, isDefaultLocal: true },
      ...others.map((name) => ({ name })),
      ...(defaultUser === undefined ? [] : [{ name: 'ANONYMOUS', defaultUser }]),
    ],
    services: [...new Set(operations.map(({ service }) => service))].sort().map((name) => ({ name })),
    operations,
    ...(listeners.length > 0 && { listeners }),
    permissionLists,
  }
  const configuration = [
    `${marker} from ${showLine(basename(resolve(from)), 300).replaceAll('*/', '* /')}: the original answers every operation. */`,
    "import type { GatewayDefinition } from 'integration-gateway'",
    '',
    `export default ${writeLiteral(definition)} satisfies GatewayDefinition`,
    '',
  ].join('\n')
  const texts = {
    'gateway.config.ts': configuration,
    'package.json': `${JSON.stringify(describePackage(), null, 2)}\n`,
    '.gitignore': 'node_modules/\ndata/\noperators.csv\n',
    ...(operators !== undefined && { 'operators.csv': operators }),
    ...(gatewayPath !== undefined && { 'integrationGateway.properties': `ig.gatewayPath=${gatewayPath}\n` }),
  }
  return writeFolder({ folder, texts, files: new Map(), sources: from, isKept: !dryRun })
}
