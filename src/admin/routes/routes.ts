/** All routes of the administration API, in the order of the reference. */
import { loadContributions } from '../../feature.ts'
import type { Route } from '../route.ts'
import { activationRoutes } from './activations.ts'
import { administratorRoutes } from './administrators.ts'
import { adoptionRoutes } from './adoption.ts'
import { auditRoutes } from './audit.ts'
import { changeRoutes } from './changes.ts'
import { configurationRoutes } from './configuration.ts'
import { draftActivationRoutes } from './drafts/activate-draft.ts'
import { draftRoutes } from './drafts/drafts.ts'
import { draftItemRoutes } from './drafts/items.ts'
import { providerRegistrationRoutes } from './drafts/register-provider.ts'
import { draftReplayRoutes } from './drafts/replay-draft.ts'
import { logRoutes } from './logs.ts'
import { matrixRoutes } from './matrix.ts'
import { operatorAccessRoutes } from './operator-access.ts'
import { operatorFileRoutes } from './operator-files.ts'
import { operatorRoutes } from './operators.ts'
import { providerRoutes } from './provider.ts'
import { revisionRoutes } from './revisions.ts'
import { secondFactorRoutes } from './second-factors.ts'
import { sessionRoutes } from './session.ts'
import { stateRoutes } from './state.ts'
import { tokenRoutes } from './tokens.ts'
import { tryRoutes } from './try.ts'
import { uriTemplateRoutes } from './uri-templates.ts'
import { usesRoutes } from './uses.ts'

export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...providerRoutes,
  ...secondFactorRoutes,
  ...configurationRoutes,
  ...draftRoutes,
  ...draftActivationRoutes,
  ...draftReplayRoutes,
  ...draftItemRoutes,
  ...providerRegistrationRoutes,
  ...usesRoutes,
  ...uriTemplateRoutes,
  ...tryRoutes,
  ...revisionRoutes,
  ...activationRoutes,
  ...changeRoutes,
  ...operatorRoutes,
  ...operatorAccessRoutes,
  ...operatorFileRoutes,
  ...matrixRoutes,
  ...(await loadContributions('actions')).flat(),
  ...logRoutes,
  ...stateRoutes,
  ...auditRoutes,
  ...adoptionRoutes,
  ...administratorRoutes,
  ...tokenRoutes,
]
