/**
 * A project for tests of several processes: who answers, a write that can be held open, and a cached response whose
 * handler notes each of its runs.
 */
export const connector = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

export const clusterFiles: Readonly<Record<string, string>> = {
  'gateway.config.js': `
const operation = { service: 'CLUSTER', method: 'GET', uriTemplates: ['/'] }
export default {
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }, { name: 'ANONYMOUS', defaultUser: 'GUEST' }],
  services: [{ name: 'CLUSTER' }],
  operations: [
    { ...operation, name: 'WHO', handler: 'handlers/cluster.js#Who' },
    { ...operation, name: 'WHO', method: 'POST', handler: 'handlers/cluster.js#Who' },
    { ...operation, name: 'NOTE', method: 'POST', handler: 'handlers/cluster.js#Note' },
    { ...operation, name: 'NOTE', handler: 'handlers/cluster.js#Notes' },
    { ...operation, name: 'CACHED', handler: 'handlers/cluster.js#CachedAnswer', cacheKeyPolicy: 'shared' },
    { ...operation, name: 'FORGET', method: 'POST', handler: 'handlers/cluster.js#Forget' },
    { ...operation, name: 'BASIC', handler: 'handlers/cluster.js#Who', verification: 'Basic' },
  ],
  permissionLists: [{ name: 'ALL', services: ['CLUSTER'] }],
}`,
  'migrations/0001-note.js': `
export async function up(database) {
  await database.schema.createTable('NOTE').addColumn('TEXT', 'varchar(254)').execute()
}`,
  'handlers/cluster.js': `
import { writeSync } from 'node:fs'
const text = (request, { broker }, text) => {
  const response = broker.createMessage(request.operationName, 'response')
  response.setContentString(String(text))
  return response
}
const plan = (request) => new URLSearchParams(request.getHeader('x-plan'))
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export class Who {
  async onRequest(request, context) {
    const { stall, wait } = Object.fromEntries(plan(request))
    if (stall) writeSync(2, 'stalls ' + process.pid)
    if (stall) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(stall)) // blocks the event loop
    if (wait) {
      console.error('waiting in ' + process.pid)
      await sleep(Number(wait))
    }
    return text(request, context, process.pid)
  }
}

export class Note {
  async onRequest(request, context) {
    await context.database.insertInto('NOTE').values({ TEXT: plan(request).get('note') }).execute()
    if (plan(request).has('hold')) {
      console.error('holding in ' + process.pid)
      await sleep(60_000)
    }
    return text(request, context, process.pid)
  }
}

export class Notes {
  async onRequest(request, context) {
    const rows = await context.database.selectFrom('NOTE').select('TEXT').execute()
    return text(request, context, rows.map(({ TEXT }) => TEXT).sort().join(' '))
  }
}

let runs = 0
export class CachedAnswer {
  async onRequest(request, context) {
    const { ttl = '60000', work = '0' } = Object.fromEntries(plan(request))
    const run = process.pid + '-' + ++runs
    await sleep(Number(work))
    const response = text(request, context, run)
    if (Number(ttl) > 0) response.setRestCache(context.now() + Number(ttl))
    return response
  }
}

export class Forget {
  async onRequest(request, context) {
    return text(request, context, await context.broker.deleteRestCache('CACHED_GET', 'v1'))
  }
}`,
}
