/** What other people's tools say of an OpenAPI document: Redocly, Spectral and swagger-parser, with their own rules. */
import SwaggerParser from '@apidevtools/swagger-parser'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'

export interface Finding {
  readonly tool: 'Redocly' | 'Spectral' | 'swagger-parser'
  readonly severity: 'error' | 'warning'
  readonly rule: string
  readonly text: string
}

export async function lint(document: object): Promise<readonly Finding[]> {
  return [...(await lintByRedocly(document)), ...(await lintBySpectral(document)), ...(await parse(document))]
}

const redoclyConfig = await createConfig({ extends: ['recommended'] })

async function lintByRedocly(document: object): Promise<readonly Finding[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), config: redoclyConfig })
  return problems.map(({ severity, ruleId, message, location }) => ({
    tool: 'Redocly',
    severity: severity === 'error' ? 'error' : 'warning',
    rule: ruleId,
    text: `${location[0]?.pointer}: ${message}`,
  }))
}

async function lintBySpectral(document: object): Promise<readonly Finding[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas, 'recommended']] } as never)
  const results = await linter.run(JSON.stringify(document))
  return results.map(({ severity, code, message, path }) => ({
    tool: 'Spectral',
    severity: severity === 0 ? 'error' : 'warning',
    rule: String(code),
    text: `${path.join('/')}: ${message}`,
  }))
}

async function parse(document: object): Promise<readonly Finding[]> {
  try {
    // It resolves references in place.
    await SwaggerParser.validate(structuredClone(document) as never)
    return []
  } catch (error) {
    return [{ tool: 'swagger-parser', severity: 'error', rule: 'validate', text: (error as Error).message }]
  }
}
