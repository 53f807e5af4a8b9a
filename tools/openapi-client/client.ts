/** A client of the reference operations as its users write one: types by openapi-typescript, calls by openapi-fetch. */
import createClient from 'openapi-fetch'
import type { paths } from './generated/reference.ts'

/** @returns `METHOD path` → status and body @param baseUrl up to and with the node @param accessToken of OAuth2 */
export async function callEveryOperation(baseUrl: string, basic: string, accessToken: string) {
  const anyone = createClient<paths>({ baseUrl })
  const known = createClient<paths>({ baseUrl, headers: { authorization: basic } })
  const bearer = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${accessToken}` } })
  const { data: signedIn } = await known.GET('/PSTOKEN.v1', { parseAs: 'text' })
  const [, token = ''] = /"psToken":"([^"]+)"/.exec(String(signedIn)) ?? []
  const session = createClient<paths>({ baseUrl, headers: { PS_TOKEN: token } })
  const xml = {
    parseAs: 'text',
    headers: { 'content-type': 'text/xml; encoding="UTF-8"' },
    bodySerializer: (body: string) => body,
  } as const
  const rows = '<request><row><key>k</key><value>v</value></row></request>'
  const key = { path: { key: 'k' } }
  const transaction = '00000000-0000-0000-0000-000000000000'

  const calls = {
    'GET /METADATA.v1': await anyone.GET('/METADATA.v1'),
    'GET /METADATA_BASIC.v1': await known.GET('/METADATA_BASIC.v1'),
    'GET /METADATA_OAUTH2.v1': await bearer.GET('/METADATA_OAUTH2.v1'),
    'POST /KEY_VALUE.v1': await known.POST('/KEY_VALUE.v1', { body: rows, ...xml }),
    'GET /KEY_VALUE.v1/{key}': await known.GET('/KEY_VALUE.v1/{key}', {
      params: { ...key, query: { transaction } },
      parseAs: 'text',
    }),
    'PUT /KEY_VALUE.v1/{key}': await known.PUT('/KEY_VALUE.v1/{key}', { params: key, body: rows, ...xml }),
    'DELETE /KEY_VALUE.v1/{key}': await known.DELETE('/KEY_VALUE.v1/{key}', { params: key, parseAs: 'text' }),
    'GET /ECHO.v1/echo/{parameter1}': await anyone.GET('/ECHO.v1/echo/{parameter1}', {
      params: { path: { parameter1: 'a b/c' } },
      parseAs: 'text',
    }),
    'GET /ECHO.v1/echo': await anyone.GET('/ECHO.v1/echo', {
      params: { query: { 'value-to-echo': 'a b+c' } },
      parseAs: 'text',
    }),
    'GET /CACHED_TIME.v1': await known.GET('/CACHED_TIME.v1', { parseAs: 'text' }),
    'GET /PSTOKEN.v1': await known.GET('/PSTOKEN.v1', { parseAs: 'text' }),
    'GET /METADATA_TOKEN.v1': await session.GET('/METADATA_TOKEN.v1'),
  } satisfies Record<string, { readonly response: Response; readonly data?: unknown }>

  return Object.entries(calls).map(([call, { response, data }]) => ({
    call,
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    data: data as unknown,
  }))
}

/** What the description does not have does not compile. */
export function mistakes(client: ReturnType<typeof createClient<paths>>): readonly (() => unknown)[] {
  return [
    // @ts-expect-error: no such operation
    () => client.GET('/NOTHING.v1'),
    // @ts-expect-error: no operation for this method
    () => client.DELETE('/METADATA.v1'),
    // @ts-expect-error: a parameter of the query is missing
    () => client.GET('/ECHO.v1/echo'),
    // @ts-expect-error: a variable of the path is missing
    () => client.GET('/KEY_VALUE.v1/{key}', { params: { query: { transaction: 'x' } } }),
    // @ts-expect-error: a body is missing
    () => client.PUT('/KEY_VALUE.v1/{key}', { params: { path: { key: 'k' } } }),
  ]
}
