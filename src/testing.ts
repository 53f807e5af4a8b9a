/**
 * Everything that tests of a project import: `import { openTestGateway } from 'integration-gateway/testing'`
 * (specification 11.4). docs/how-to/handlers.md has examples.
 */

// Testing kit

export type { TestJobRun } from './features/jobs/testing.ts'
export type { TestLogEntry } from './model/test-log.ts'
export { openTestGateway } from './testing/open-test-gateway.ts'
export type { TestAnswer, TestCallOptions, TestRefusal } from './testing/test-call.ts'
export type { TestGateway, TestGatewayOptions, TestProject } from './testing/test-gateway.ts'
export type { TestOperator } from './testing/test-operators.ts'
