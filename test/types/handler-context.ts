/**
 * Types of a handler's context (specification 5.40). Nothing here runs: `npm run check` is the test, and each
 * `@ts-expect-error` an error that must be there.
 */
import { defineGateway, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'

interface Tables {
  STOCK: { ITEM: string; QUANTITY: number }
}

const gateway = defineGateway({
  documents: [
    {
      name: 'SEARCH',
      elements: {
        category: { type: 'String' },
        limit: { type: 'Integer' },
        size: { type: 'String', values: ['S', 'M'], isCollection: true },
        key: { type: 'Decimal', isRequired: true },
      },
    },
  ],
  messages: [{ name: 'SEARCH_PARAMETERS', document: 'SEARCH' }],
  operations: [
    {
      service: 'SHOP',
      name: 'SEARCH',
      method: 'GET',
      uriTemplates: ['items/{category}{?limit,size*}', 'keys{?key}'],
      documentTemplate: 'SEARCH_PARAMETERS',
      handler: 'handlers/search.ts',
    },
    {
      service: 'SHOP',
      name: 'SEARCH',
      method: 'GET',
      version: 'v2',
      uriTemplates: ['{category}'],
      documentTemplate: 'SEARCH_PARAMETERS',
      handler: 'handlers/search.ts',
    },
    { service: 'SHOP', name: 'ROOT', method: 'POST', handler: 'handlers/search.ts' },
    {
      service: 'SHOP',
      name: 'BASKET',
      alias: 'basket',
      method: 'GET',
      version: 'none',
      uriTemplates: ['item/{category}'],
      documentTemplate: 'SEARCH_PARAMETERS',
      handler: 'handlers/search.ts',
    },
  ],
})

type Context = HandlerContext<Tables, typeof gateway>

export class Search implements Handler {
  async onRequest(request: RequestMessage<typeof gateway, 'SEARCH_GET'>, { broker, database, operator }: Context) {
    const lists: readonly string[] = operator.permissionLists
    const rows = await database.selectFrom('STOCK').select('ITEM').execute()
    const items: string[] = rows.map(({ ITEM }) => ITEM)
    // @ts-expect-error: no such table
    database.selectFrom('STOK')
    // @ts-expect-error: no such column
    database.selectFrom('STOCK').select('COLOUR')

    broker.getUrl('SEARCH_GET', 'v1', 1, { category: 'hats', limit: 5, size: ['S'] })
    broker.getUrl('SEARCH_GET', 'v1', 1, { category: 'hats', limit: '05', size: [] })
    broker.getUrl('SEARCH_GET', 'v1', 2, { key: '1.50' })
    broker.getUrl('SEARCH_GET', 'v2', 1, { category: 'hats' })
    broker.getUrl('ROOT_POST', 'v1', 1, {})
    broker.getUrl('BASKET_GET', 'none', 1, { category: 'hats' })
    // @ts-expect-error: it has no version
    broker.getUrl('BASKET_GET', 'v1', 1, { category: 'hats' })
    // @ts-expect-error: no such operation
    broker.getUrl('SERCH_GET', 'v1', 1, { category: 'hats' })
    // @ts-expect-error: no such version
    broker.getUrl('SEARCH_GET', 'v3', 1, { category: 'hats' })
    // @ts-expect-error: no such URI template
    broker.getUrl('SEARCH_GET', 'v2', 2, { category: 'hats' })
    // @ts-expect-error: category is missing
    broker.getUrl('SEARCH_GET', 'v1', 1, { limit: 5 })
    // @ts-expect-error: key is required
    broker.getUrl('SEARCH_GET', 'v1', 2, {})
    // @ts-expect-error: no such variable
    broker.getUrl('SEARCH_GET', 'v2', 1, { category: 'hats', limit: 5 })
    // @ts-expect-error: none of the element's values
    broker.getUrl('SEARCH_GET', 'v1', 1, { category: 'hats', size: ['L'] })

    await broker.deleteRestCache('SEARCH_GET', 'v2', { operator: operator.id })
    // @ts-expect-error: no such version
    await broker.deleteRestCache('ROOT_POST', 'v2')
    // @ts-expect-error: no such operation
    await broker.deleteRestCache('ROOT_GET', 'v1')

    const response = broker.createMessage(request.operationName, 'response')
    response.setContentString([...lists, ...items].join())
    return response
  }
}

/** Without stated types every name is allowed. */
export function untyped({ broker, database }: HandlerContext, name: string) {
  broker.getUrl(name, 'v1', 1, { any: 'value', list: ['a'], none: undefined })
  return Promise.all([broker.deleteRestCache(name, 'v1'), database.selectFrom('ANY').selectAll().execute()])
}

/** A context with stated types is one. */
export const passOn = (context: Context) => untyped(context, 'ROOT_POST')
