/** A project whose every operation answers `hello`: what is measured with it is all but the handler. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkPackage } from './servers.ts'

/** What a configuration names as the handler of its operations. */
export const helloHandler = 'handlers/hello.ts'

const handler = `export default class {
  onRequest(request, { broker }) {
    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString('hello')
    return response
  }
}`

/** With a configuration of next to nothing: the operations come as revisions of the store. */
export function writeHelloProject(folder: string): void {
  mkdirSync(join(folder, 'handlers'))
  linkPackage(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const configuration = `export default { nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }] }`
  writeFileSync(join(folder, 'gateway.config.ts'), configuration)
  writeFileSync(join(folder, helloHandler), handler)
}
