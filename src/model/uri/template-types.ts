/** URI templates for the type checker: required and optional variables of a request (specification 11.1). */

/** Variables of the path and of `name={variable}` pairs: without them the template does not match. */
export type RequiredVariables<Template extends string> = ReadTemplate<Template>['required']

/** Members of `{?a,b}` and `{&a,b}`. */
export type OptionalVariables<Template extends string> = ReadTemplate<Template>['optional']

export type Variables<Template extends string> = RequiredVariables<Template> | OptionalVariables<Template>

type ReadTemplate<Template extends string, Required = never, Optional = never> = string extends Template
  ? { required: never; optional: never } // known only at run time
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? Expression extends `${'?' | '&'}${infer Members}`
      ? ReadTemplate<Rest, Required, Optional | MembersOf<Members>>
      : ReadTemplate<Rest, Required | Expression, Optional>
    : { required: Required; optional: Optional }

/** `a,list*` → `a`, `list` */
type MembersOf<Members extends string> = Members extends `${infer First},${infer Rest}`
  ? WithoutStar<First> | MembersOf<Rest>
  : WithoutStar<Members>

type WithoutStar<Member extends string> = Member extends `${infer Name}*` ? Name : Member
