/**
 * Values that differ from one environment to the next (specification 31.4): `{env:IDP_URL}` in a text of an OAuth2 service
 * app. The configuration has the name; each gateway has the value.
 */
import { requireVariable } from '../model/handler-setting.ts'
import type { Problem } from '../model/problem.ts'
import { type Configuration, itemSchemas, type ServiceAppDefinition } from './configuration.ts'

const form = /\{env:([^}]*)\}/g
const fields = ['metadataUrl', 'issuer', 'authorizationEndpoint', 'tokenEndpoint', 'audience', 'scopes'] as const

/** The value of a variable, or what is wrong with it. */
export type FindVariable = (variable: string) => { readonly text: string } | { readonly problem: string }

/** @throws Error that names the variable */
export function fillIn(app: ServiceAppDefinition, find: FindVariable): ServiceAppDefinition {
  const fillText = (text: string) =>
    text.replace(form, (_, variable: string) => {
      const found = find(requireVariable(variable))
      if ('problem' in found) throw new Error(`The variable ${variable} ${found.problem}`)
      return found.text
    })
  const filled = fields.flatMap((field) => {
    const value = app[field]
    if (value === undefined) return []
    return [[field, typeof value === 'string' ? fillText(value) : value.map(fillText)]]
  })
  return { ...app, ...Object.fromEntries(filled) }
}

/** Variables that are absent, and values that the configuration could not have itself. */
export function findFillProblems({ oauth2ServiceApps }: Configuration, find: FindVariable): readonly Problem[] {
  return oauth2ServiceApps.flatMap((app, index) => {
    const place = `oauth2ServiceApps[${index}]`
    try {
      const { error } = itemSchemas.oauth2ServiceApps.safeParse(fillIn(app, find))
      const issues = error?.issues ?? []
      return issues.map(({ path, message }) => ({
        path: `${place}.${path.join('.')}`,
        message: `${message}: ${showForm(app, path[0])}`,
      }))
    } catch (error) {
      return [{ path: place, message: (error as Error).message.replace(/^The/, 'cannot be used: the') }]
    }
  })
}

/** As the configuration has it: the value may be a secret. */
function showForm(app: ServiceAppDefinition, field: PropertyKey | undefined): string {
  return `${String(app[field as keyof ServiceAppDefinition])} with the variables of this environment`
}
