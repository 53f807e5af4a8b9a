/**
 * Everything that tests of a project import: `import { openTestGateway } from 'integration-gateway/testing'`
 * (specification 11.4). docs/how-to/handlers.md has examples.
 */

// Testing kit

export { openTestGateway } from './testing/open-test-gateway.ts'
export type { TestGateway, TestGatewayOptions, TestObservation, TestProject } from './testing/test-gateway.ts'
export type { TestOperator } from './testing/test-operators.ts'

// Answers and runs in tests

export type { TestJobRun } from './features/jobs/testing.ts'
export type { JobOutcome, LogLevel } from './model/observation.ts'
export type { TestLogEntry } from './model/test-log.ts'
export type { TestAnswer, TestCallOptions, TestRefusal } from './testing/test-call.ts'

// Migrations in tests

export type { ProjectMigration } from './store/store.ts'
