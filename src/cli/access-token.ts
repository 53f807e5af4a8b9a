/** `ig access-token`: an access token of the sample issuer of a running `ig dev` (specification 9.16). */
import type { Command } from 'commander'
import { suggest } from '../base/nearest.ts'
import { openProject } from '../project/open-project.ts'
import { usesSampleIssuer } from '../serve/development/move-sample-issuer.ts'
import { Failure } from '../terminal/explain-failure.ts'
import { print, printJson, show } from '../terminal/print.ts'
import { projectOption, readProjectSettings, requireProjectFolder } from '../terminal/project-options.ts'

interface Options {
  readonly project: string
  readonly issuerPort?: string
  readonly json?: boolean
}

export function accessToken(command: Command): void {
  command
    .description(
      'Fetches an access token for a sample operator from the sample issuer of a running ig dev, and prints it.',
    )
    .argument('<operator>', 'id of a sample operator')
    .option(...projectOption)
    .option('--issuer-port <n>', 'port of the sample issuer (ig.sampleIssuer.port, 8090)')
    .option('--json', "print the issuer's full response")
    .addHelpText('after', '\nExample:\n  curl -H "Authorization: Bearer $(ig access-token DEMO)" <url>')
    .action(fetchToken)
}

async function fetchToken(id: string, options: Options): Promise<void> {
  requireProjectFolder(options.project)
  const settings = readProjectSettings(options.project, { '--issuer-port': options.issuerPort })
  const { sampleOperators, configuration } = await openProject(options.project)
  if (!usesSampleIssuer(configuration)) throw new Failure('the project does not register the sample issuer.')
  const clients = sampleOperators.filter(({ clientSecret }) => clientSecret !== undefined)
  const client = clients.find((operator) => operator.id === id)
  if (!client) {
    const known = clients.map((operator) => operator.id)
    throw new Failure(
      `${show(id)} is not a sample operator with a client secret${suggest(id, known) || `. Available: ${known.join(', ')}.`}`,
    )
  }
  const answer = await askIssuer(`http://127.0.0.1:${settings.sampleIssuerPort}/token`, id, client.clientSecret ?? '')
  if (options.json) printJson(answer)
  else print(answer.access_token)
}

interface TokenAnswer {
  readonly access_token: string
}

async function askIssuer(endpoint: string, id: string, secret: string): Promise<TokenAnswer> {
  const credentials = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    signal: AbortSignal.timeout(10_000),
  }).catch(() => {
    throw new Failure(
      `the sample issuer does not answer at ${endpoint}. Is ig dev running? Name another port with --issuer-port <n> or ig.sampleIssuer.port.`,
    )
  })
  const answer = (await response.json().catch(() => ({}))) as Partial<TokenAnswer> & { readonly error?: string }
  if (answer.access_token) return answer as TokenAnswer
  throw new Failure(`the sample issuer at ${endpoint} refused: ${response.status} ${show(answer.error ?? '')}`)
}
