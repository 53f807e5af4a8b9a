/**
 * What the type checker knows of a `gateway.config.ts`: the operations by name, and the URI document of each
 * (specification 11.1 to 11.3). Types only; the rules are in match-uri-template.ts and uri-document.ts.
 */
import type { PrimitiveType } from './document-template.ts'
import type { Method } from './operation-terms.ts'
import type { UriValue } from './primitive.ts'
import type { OptionalVariables, RequiredVariables, Variables } from './uri/template-types.ts'
import type { UriDocument } from './uri/uri-document.ts'

/** The part of a configuration that the types of handlers follow: they get it as `typeof gateway`. */
export type TypedGateway = {
  readonly documents?: readonly TypedDocument[] | undefined
  readonly messages?: readonly TypedMessage[] | undefined
  readonly operations?: readonly TypedOperation[] | undefined
}

/** `ECHO_GET`, which means all of its versions, or `ECHO_GET.v1`; any string without a configuration. */
export type OperationName<Gateway extends TypedGateway> = TypedGateway extends Gateway
  ? string
  : string & keyof OperationsByName<Gateway>

/** What `request.operationName` is: without the version. */
export type FullNameOf<Name extends string> = Name extends `${infer FullName}.${string}` ? FullName : Name

/** The versions of the operation with this full name: `v1`. */
export type VersionOf<Gateway extends TypedGateway, FullName extends string> = VersionIn<
  Lookup<OperationsByName<Gateway>, FullName>
>

/** The indexes of an operation's URI templates, from 1. */
export type TemplateIndexOf<Gateway extends TypedGateway, Id extends string> = IndexIn<
  TemplateList<Lookup<OperationsByName<Gateway>, Id>>
>

/** The values that one of an operation's URI templates takes, by variable. A text is accepted for any primitive type. */
export type UrlValuesOf<Gateway extends TypedGateway, Id extends string, Index extends number> = UrlValuesIn<
  ElementsOf<Gateway, Lookup<OperationsByName<Gateway>, Id>>,
  TemplateAt<TemplateList<Lookup<OperationsByName<Gateway>, Id>>, Index>
>

/** The values of an operation's URL by element name; for several operations, those that any of them may have. */
export type UriDocumentOf<Gateway extends TypedGateway, Name extends string> = TypedGateway extends Gateway
  ? UriDocument['values']
  : DocumentOf<Gateway, Lookup<OperationsByName<Gateway>, Name>>

/**
 * Makes a URI template with a variable that is no element of the operation's document template a compile error, which
 * gives the reason; `unknown` if there is none.
 */
export type ValidGateway<Gateway extends TypedGateway> = [MissingIn<Gateway, ItemOf<Gateway['operations']>>] extends [
  never,
]
  ? unknown
  : { readonly operations: SoundOperations<Gateway, Gateway['operations']> }

/** A type that no URI template matches: the compiler shows its message. */
export interface Fault<Message extends string> {
  readonly fault: Message
}

interface TypedDocument {
  readonly name: string
  readonly elements: Readonly<Record<string, TypedElement>>
}

interface TypedElement {
  readonly type: PrimitiveType
  readonly isCollection?: boolean | undefined
  readonly isRequired?: boolean | undefined
  readonly values?: readonly string[] | undefined
}

interface TypedMessage {
  readonly name: string
  readonly document: string
}

interface TypedOperation {
  readonly name: string
  readonly method: Method
  readonly version?: string | undefined
  readonly uriTemplates?: readonly string[] | undefined
  readonly documentTemplate?: string | undefined
}

// Looked up by name, so that a thousand handlers do not each search a thousand operations.

type OperationsByName<Gateway extends TypedGateway> = {
  readonly [Operation in ItemOf<Gateway['operations']> as NamesOf<Operation>]: Operation
}

type NamesOf<Operation extends TypedOperation> =
  | `${Operation['name']}_${Operation['method']}`
  | `${Operation['name']}_${Operation['method']}.${OwnVersion<Operation>}`

type OwnVersion<Operation> = Operation extends { readonly version: infer Version extends string } ? Version : 'v1'

type MessagesByName<Gateway extends TypedGateway> = {
  readonly [Message in ItemOf<Gateway['messages']> as Message['name']]: Message['document']
}

type DocumentsByName<Gateway extends TypedGateway> = {
  readonly [Document in ItemOf<Gateway['documents']> as Document['name']]: Document['elements']
}

/** By one property: `keyof` of such a map costs as much as all of its entries. */
type Lookup<Map, Name> = Name extends string
  ? Map extends { readonly [Key in Name]: infer Value }
    ? Value
    : never
  : never

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never

/** The elements of an operation's document template; `never` if it has none. */
type ElementsOf<Gateway extends TypedGateway, Operation> = Operation extends {
  readonly documentTemplate: infer Message extends string
}
  ? Lookup<DocumentsByName<Gateway>, Lookup<MessagesByName<Gateway>, Message>>
  : never

type DocumentOf<Gateway extends TypedGateway, Operation> =
  IsMadeAtRunTime<Operation> extends true
    ? UriDocument['values']
    : ValuesOf<
        VariablesOf<Operation>,
        UncertainOf<Gateway, Operation, VariablesOf<Operation>>,
        Operation extends unknown ? TypesOf<ElementsOf<Gateway, Operation>> : never
      >

type IsMadeAtRunTime<Operation> = [Operation] extends [never]
  ? true // the names are `string`: none could be looked up
  : string extends TemplatesOf<Operation>
    ? true
    : false

type TemplatesOf<Operation> = Operation extends { readonly uriTemplates: readonly (infer Template extends string)[] }
  ? Template
  : '/'

type VariablesOf<Operation> = Variables<TemplatesOf<Operation>>

/** Names made at run time cannot be looked up. */
type VersionIn<Operation> = [Operation] extends [never] ? string : OwnVersion<Operation>

type AnyUrlValues = Readonly<Record<string, UriValue | readonly UriValue[] | undefined>>

/** Without templates an operation has `/`. */
type TemplateList<Operation> = [Operation] extends [never]
  ? readonly string[]
  : Operation extends { readonly uriTemplates: infer Templates extends readonly string[] }
    ? Templates extends readonly []
      ? readonly ['/']
      : Templates
    : readonly ['/']

type IndexIn<Templates extends readonly string[]> = number extends Templates['length']
  ? number
  : Exclude<keyof [never, ...Templates], '0' | keyof []> extends infer Key
    ? Key extends `${infer Index extends number}`
      ? Index
      : never
    : never

type TemplateAt<Templates extends readonly string[], Index extends number> = number extends Templates['length']
  ? string
  : Extract<[never, ...Templates][Index], string>

type UrlValuesIn<Elements, Template extends string> = string extends Template
  ? AnyUrlValues
  : FlatObject<
      {
        readonly [Name in
          | RequiredVariables<Template>
          | Extract<OptionalVariables<Template>, RequiredOf<Elements>>]: WritableValue<Elements, Name>
      } & {
        readonly [Name in Exclude<OptionalVariables<Template>, RequiredOf<Elements>>]?:
          | WritableValue<Elements, Name>
          | undefined
      }
    >

type WritableValue<Elements, Name> = Name extends keyof Elements
  ? Elements[Name] extends infer Element extends TypedElement
    ? Element['isCollection'] extends true
      ? readonly WritableOne<Element>[]
      : WritableOne<Element>
    : never
  : never

type WritableOne<Element extends TypedElement> =
  | PrimitiveOf<Element>
  | (PrimitiveOf<Element> extends string ? never : string)

/** Elements that a template of some operation may omit. A required element is present, or the call is refused. */
type UncertainOf<Gateway extends TypedGateway, Operation, Known extends string> = Operation extends unknown
  ? UncertainIn<TemplatesOf<Operation>, Exclude<Known, RequiredOf<ElementsOf<Gateway, Operation>>>>
  : never

type UncertainIn<Template extends string, Known extends string> = Template extends unknown
  ? Exclude<Known, RequiredVariables<Template>>
  : never

type RequiredOf<Elements> = {
  [Name in keyof Elements]: Elements[Name] extends { readonly isRequired: true } ? Name : never
}[keyof Elements]

type TypesOf<Elements> = {
  readonly [Name in keyof Elements]: Elements[Name] extends TypedElement ? TypeOf<Elements[Name]> : never
}

type TypeOf<Element extends TypedElement> = Element['isCollection'] extends true
  ? readonly PrimitiveOf<Element>[]
  : PrimitiveOf<Element>

type PrimitiveOf<Element extends TypedElement> = Primitives[Element['type']] extends string
  ? Element extends { readonly values: readonly (infer Value extends string)[] }
    ? Value
    : string
  : Primitives[Element['type']]

/** As `readPrimitive` reads them. */
interface Primitives {
  readonly Binary: Buffer
  readonly Boolean: boolean
  readonly Character: string
  readonly Date: string
  readonly DateTime: string
  /** A string beyond 15 digits. */
  readonly Decimal: number | string
  readonly Integer: number
  readonly String: string
  readonly Text: string
  readonly Time: string
}

type ValuesOf<Known extends string, Uncertain extends string, Types> = FlatObject<
  { readonly [Name in Exclude<Known, Uncertain>]: ValueOf<Types, Name> } & {
    readonly [Name in Uncertain]?: ValueOf<Types, Name> | undefined
  }
>

/** For several operations, the union. */
type ValueOf<Types, Name extends string> = Types extends unknown
  ? Name extends keyof Types
    ? Types[Name]
    : never
  : never

/** Flattened to one object for editors. */
type FlatObject<Type> = { readonly [Name in keyof Type]: Type[Name] }

/** Variables that are no element of their document template. */
type MissingIn<Gateway extends TypedGateway, Operation> = Operation extends unknown
  ? Exclude<VariablesOf<Operation>, NamesIn<ElementsOf<Gateway, Operation>>>
  : never

/** `keyof never` would be every name. */
type NamesIn<Elements> = [Elements] extends [never] ? never : keyof Elements

type SoundOperations<Gateway extends TypedGateway, Operations> = {
  readonly [Index in keyof Operations]: SoundOperation<Operations[Index], MissingIn<Gateway, Operations[Index]>>
}

type SoundOperation<Operation, Missing extends string> = [Missing] extends [never]
  ? unknown
  : Operation extends { readonly uriTemplates: infer Templates extends readonly string[] }
    ? {
        readonly uriTemplates: {
          readonly [Index in keyof Templates]: SoundTemplate<Operation, Extract<Variables<Templates[Index]>, Missing>>
        }
      }
    : unknown

type SoundTemplate<Operation, Missing extends string> = [Missing] extends [never]
  ? unknown
  : Fault<`has the variable ${Missing}, ${Reason<Operation>}`>

type Reason<Operation> = Operation extends { readonly documentTemplate: infer Message extends string }
  ? `which is no element of its document template ${Message}`
  : 'but its operation has no document template'
