/** What tests of API descriptions describe: the reference project. */
import { compileCatalog } from '../../../src/configuration/catalog.ts'
import type { ErrorStyle } from '../../../src/model/operation-terms.ts'
import { openProject } from '../../../src/project/open-project.ts'
import { referenceFolder } from '../../support/gateway.ts'

export const settings = {
  gatewayPath: 'PSIGW',
  platformName: 'platform',
  errorStyle: 'observed' as ErrorStyle,
  authorizationServer: 'SAMPLE_ISSUER',
}
const project = await openProject(referenceFolder)
export const reference = compileCatalog(project.configuration, project.handlers)
