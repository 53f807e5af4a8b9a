/** All that a handler author imports: `import { … } from 'integration-gateway'`. */
export { defineGateway } from './model/configuration.ts'
