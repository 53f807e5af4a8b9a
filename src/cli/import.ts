/** `ig import`: recordings, descriptions, an access log or definitions as a project (specification 16.6 to 16.20). */
import type { Command } from 'commander'
import type { ImportOptions } from '../moving/import/conclude.ts'
import type { AccessLogOptions } from '../moving/import/import-access-log.ts'
import type { DefinitionOptions } from '../moving/import/import-definitions.ts'
import type { ImportKind } from '../moving/import/import-project.ts'
import { collect } from '../terminal/project-options.ts'

export function importVerb(command: Command): void {
  const group = command
    .description(
      'Writes a project whose operations answer with recorded responses, or pass calls on. Prints the inferred URI templates for ' +
        'review; --dry-run prints them and writes nothing. Leaves out cookies and the credentials in headers and URLs; writes bodies unchanged.',
    )
    .addHelpText('after', examples)
  const verb = (name: string, summary: string, argument: string, file: string, found = '"operations"') =>
    group
      .command(name)
      .description(summary)
      .argument(argument, file)
      .option('--into <folder>', 'folder of the new project; by default named after the file, in the current folder')
      .option('--dry-run', 'print what would be written and write nothing')
      .option(
        '--force',
        'replace the files that an earlier import wrote, including your changes to them; keep all others',
      )
      .option('--strict', 'treat notes as errors: write nothing if anything is left out or changed')
      .option('--json', `print { "folder", ${found}, "notices", "problems" }`)
  const kind = (name: ImportKind, summary: string, file: string) =>
    verb(name, summary, '<file>', file)
      .option(
        '--open',
        'serve operations without credentials where nothing says whether they need any; by default, Basic',
      )
      .action(async (path: string, options: ImportOptions) => {
        const { importProject } = await import('../moving/import/import-project.ts') // loaded here, because other verbs do not need its parsers
        await importProject(name, path, options)
      })
  const recorded = (name: ImportKind, summary: string, file: string, service?: string) =>
    kind(name, summary, file)
      .option('--service <name>', 'the service of the operations', service)
      .option('--any <names>', 'variables whose unrecorded values get an answer too; on a terminal it asks')
      .option(
        '--body <path>',
        'a value of the request body that selects the row, repeatable: /emplid in JSON, /request/emplid in XML',
        collect,
      )
      .option('--no-any', 'do not ask: recorded values only')
      .option(
        '--type <name=type>',
        'the type of a variable, repeatable: EMPLID=Integer; the default is String',
        collect,
      )
  recorded(
    'requests',
    'Import recorded requests: a HAR, or a list of method, URL, response file.',
    'a .har, or a list',
    'IMPORTED',
  )
  recorded('postman', 'Import a Postman collection v2.1 with its saved responses.', 'a .postman_collection.json')
  kind('openapi', 'Import a document of OpenAPI 3.0, 3.1 or Swagger 2.0, with its examples.', 'JSON or YAML')
  kind('wadl', 'Import a WADL document.', 'a .wadl')
  const summary =
    'List the operations and callers in an access log of the original, and import them as passed on to it.'
  const log = 'in the common or combined format; a month of it'
  verb('access-log', summary, '<file>', log, '"lines", "operations"')
    .requiredOption('--upstream <url>', 'the original: https://hr.example')
    .option('--open', 'pass operations on without credentials where the log names no user; by default, Basic')
    .action(async (file: string, options: AccessLogOptions) => {
      const { importAccessLog } = await import('../moving/import/import-access-log.ts')
      await importAccessLog(file, options)
    })
  verb(
    'definitions',
    "Import the original's definitions from CSV, one file per record: permission lists, operators, and operations that the original continues to answer.",
    '<folder>',
    'with PSOPERATION.csv, PSOPRVERDFN.csv and, if you have them, PSAUTHWS, PSOPRDEFN, PSOPRCLS, PSIBRTNGDEFN and PSIBRTNGSUBDEFN.csv',
    '"operations", "permissionLists"',
  )
    .requiredOption('--upstream <url>', 'the original: https://hr.example')
    .option('--node <name>', 'the default local node', 'LOCAL_NODE')
    .action(async (folder: string, options: DefinitionOptions) => {
      const { importDefinitions } = await import('../moving/import/import-definitions.ts')
      await importDefinitions(folder, options)
    })
}

const examples = `
Examples:
  ig import requests recorded.har --into stand-in
  ig import requests requests.txt --dry-run
  ig import requests recorded.har --any EMPLID,EFFDT --type EMPLRCD=Integer
  ig import access-log access.log --upstream https://hr.example --dry-run
  ig import definitions export --upstream https://hr.example --into hr
  ig import postman hr.postman_collection.json
  ig import openapi api.yaml --into stand-in && ig dev stand-in

A list has one request per line: GET https://host/path responses/a.json 200
The response file is relative to the list; the status is optional; # starts a comment.`
