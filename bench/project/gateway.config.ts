/** Operations that the benchmark needs beside the reference operations: cached responses for anyone, and a longer one. */
import { defineGateway } from 'integration-gateway'

export default defineGateway({
  nodes: [
    { name: 'LOCAL_NODE', isDefaultLocal: true },
    { name: 'ANONYMOUS', defaultUser: 'GUEST' },
  ],
  services: [{ name: 'CACHED' }],
  operations: [
    {
      service: 'CACHED',
      name: 'CACHED_NONE',
      method: 'GET',
      verification: 'NONE',
      uriTemplates: ['/'],
      handler: 'handlers/cached.ts#CachedTime',
      cacheKeyPolicy: 'shared',
    },
    {
      service: 'CACHED',
      name: 'CACHED_PAGE',
      method: 'GET',
      verification: 'Basic',
      uriTemplates: ['/'],
      handler: 'handlers/cached.ts#CachedPage',
      cacheKeyPolicy: 'shared',
    },
  ],
  permissionLists: [
    { name: 'PUBLIC', operations: ['CACHED_NONE_GET.v1'] },
    { name: 'REFERENCE_ALL', services: ['CACHED'] },
  ],
})
