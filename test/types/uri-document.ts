/**
 * Types that flow from a configuration to its handlers (specification 11.1 to 11.3). Nothing here runs: `npm run check`
 * is the test, and each `@ts-expect-error` an error that must be there.
 */
import {
  defineGateway,
  type Handler,
  type HandlerContext,
  type RequestMessage,
  type UriValue,
} from 'integration-gateway'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const hold = <_ extends true>() => {}

const gateway = defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  services: [{ name: 'SAMPLES' }],
  documents: [
    {
      name: 'ALL',
      elements: {
        binary: { type: 'Binary' },
        boolean: { type: 'Boolean' },
        character: { type: 'Character' },
        date: { type: 'Date' },
        dateTime: { type: 'DateTime' },
        decimal: { type: 'Decimal' },
        integer: { type: 'Integer' },
        string: { type: 'String' },
        text: { type: 'Text' },
        time: { type: 'Time' },
        list: { type: 'Integer', isCollection: true },
        colour: { type: 'String', values: ['red', 'green'] },
        grade: { type: 'Integer', values: ['1', '2'] },
      },
    },
    { name: 'REQUIRED', elements: { key: { type: 'String', isRequired: true }, size: { type: 'Integer' } } },
    { name: 'OTHER', elements: { key: { type: 'Integer' } } },
  ],
  messages: [
    { name: 'ALL_PARAMETERS', document: 'ALL' },
    { name: 'REQUIRED_PARAMETERS', document: 'REQUIRED' },
    { name: 'OTHER_PARAMETERS', document: 'OTHER' },
  ],
  operations: [
    {
      service: 'SAMPLES',
      name: 'PRIMITIVES',
      method: 'GET',
      uriTemplates: [
        '{binary}/{boolean}/{character}/{date}/{dateTime}/{decimal}/{integer}/{string}/{text}/{time}/{list}',
      ],
      documentTemplate: 'ALL_PARAMETERS',
      handler: 'handlers/all.ts',
    },
    {
      service: 'SAMPLES',
      name: 'FORMS',
      method: 'GET',
      uriTemplates: ['id={integer}.{string}/{text}?list={list}&mode=full{&date,time}', '/{integer}/x{?list*,text}'],
      documentTemplate: 'ALL_PARAMETERS',
      handler: 'handlers/all.ts',
    },
    {
      service: 'SAMPLES',
      name: 'VALUES',
      method: 'GET',
      uriTemplates: ['{colour}{?grade}'],
      documentTemplate: 'ALL_PARAMETERS',
      handler: 'handlers/all.ts',
    },
    { service: 'SAMPLES', name: 'NOTHING', method: 'POST', handler: 'handlers/all.ts' },
    { service: 'SAMPLES', name: 'ROOT', method: 'GET', uriTemplates: ['/'], handler: 'handlers/all.ts' },
    {
      service: 'SAMPLES',
      name: 'KEYED',
      method: 'GET',
      uriTemplates: ['{?key,size}', 'by-key/{key}'],
      documentTemplate: 'REQUIRED_PARAMETERS',
      handler: 'handlers/all.ts',
    },
    {
      service: 'SAMPLES',
      name: 'KEYED',
      method: 'GET',
      version: 'v2',
      uriTemplates: ['{key}'],
      documentTemplate: 'OTHER_PARAMETERS',
      handler: 'handlers/all.ts',
    },
  ],
})

type Values<Name extends Parameters<typeof valuesOf>[0]> = ReturnType<
  RequestMessage<typeof gateway, Name>['getUriDocument']
>
declare function valuesOf(name: RequestNames): void
type RequestNames =
  | 'PRIMITIVES_GET'
  | 'FORMS_GET'
  | 'VALUES_GET'
  | 'NOTHING_POST'
  | 'ROOT_GET'
  | 'KEYED_GET'
  | 'KEYED_GET.v1'
  | 'KEYED_GET.v2'

hold<
  Equal<
    Values<'PRIMITIVES_GET'>,
    {
      readonly binary: Buffer
      readonly boolean: boolean
      readonly character: string
      readonly date: string
      readonly dateTime: string
      readonly decimal: number | string
      readonly integer: number
      readonly string: string
      readonly text: string
      readonly time: string
      readonly list: readonly number[]
    }
  >
>()
hold<
  Equal<
    Values<'FORMS_GET'>,
    {
      readonly integer: number
      readonly string?: string | undefined
      readonly text?: string | undefined
      readonly list?: readonly number[] | undefined
      readonly date?: string | undefined
      readonly time?: string | undefined
    }
  >
>()
hold<Equal<Values<'VALUES_GET'>, { readonly colour: 'red' | 'green'; readonly grade?: number | undefined }>>()
// biome-ignore lint/complexity/noBannedTypes: it is what is meant, an object without any value
hold<Equal<Values<'NOTHING_POST'>, {}>>()
// biome-ignore lint/complexity/noBannedTypes: it is what is meant, an object without any value
hold<Equal<Values<'ROOT_GET'>, {}>>()
hold<Equal<Values<'KEYED_GET.v1'>, { readonly key: string; readonly size?: number | undefined }>>()
hold<Equal<Values<'KEYED_GET.v2'>, { readonly key: number }>>()
hold<Equal<Values<'KEYED_GET'>, { readonly key: string | number; readonly size?: number | undefined }>>()
hold<
  Equal<
    ReturnType<RequestMessage['getUriDocument']>,
    Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>
  >
>()
hold<Equal<RequestMessage<typeof gateway, 'KEYED_GET.v2'>['operationName'], 'KEYED_GET'>>()
hold<Equal<RequestMessage['operationName'], string>>()

export class Keyed implements Handler {
  onRequest(request: RequestMessage<typeof gateway, 'KEYED_GET.v1'>, { broker }: HandlerContext) {
    const { key, size } = request.getUriDocument()
    key.toUpperCase()
    // @ts-expect-error: `size` may be undefined
    size.toFixed()
    // @ts-expect-error: no template has it
    request.getUriDocument().sise
    takesAny(request)
    takesEither(request)
    // @ts-expect-error: another operation
    takesOther(request)
    return broker.createMessage(request.operationName, 'response')
  }
}

// @ts-expect-error: no such operation
export type Unknown = RequestMessage<typeof gateway, 'KEYED_PUT'>

// @ts-expect-error: `onRequest` is missing
export class Incomplete implements Handler {}

export class Wrong implements Handler {
  // @ts-expect-error: it is not a request that it takes
  onRequest(request: string) {
    return request
  }
}

declare function takesAny(request: RequestMessage): void
declare function takesEither(
  request: RequestMessage<typeof gateway, 'KEYED_GET.v1' | 'VALUES_GET' | 'NOTHING_POST'>,
): void
declare function takesOther(request: RequestMessage<typeof gateway, 'VALUES_GET'>): void

export const unsound = defineGateway({
  documents: [{ name: 'ONE', elements: { known: { type: 'String' } } }],
  messages: [{ name: 'ONE_PARAMETERS', document: 'ONE' }],
  operations: [
    {
      service: 'SAMPLES',
      name: 'MISSPELT',
      method: 'GET',
      uriTemplates: [
        '{known}',
        // @ts-expect-error: no element carries it
        'x/{knwon}',
        // @ts-expect-error: no element carries one of them
        'y/{known}{?also}',
      ],
      documentTemplate: 'ONE_PARAMETERS',
      handler: 'handlers/all.ts',
    },
    {
      service: 'SAMPLES',
      name: 'NO_DOCUMENT',
      method: 'GET',
      // @ts-expect-error: there is no document template
      uriTemplates: ['{known}'],
      handler: 'handlers/all.ts',
    },
  ],
})

/** Operations that are made at run time keep what is known of them, and are not refused. */
const names = ['FIRST', 'SECOND']
const made = defineGateway({
  operations: [
    ...names.map((name) => ({
      service: 'SAMPLES',
      name,
      method: 'GET' as const,
      uriTemplates: [`${name}/{key}`],
      documentTemplate: 'REQUIRED_PARAMETERS',
      handler: 'handlers/all.ts',
    })),
  ],
})
hold<
  Equal<
    ReturnType<RequestMessage<typeof made, 'FIRST_GET'>['getUriDocument']>,
    Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>
  >
>()
