/** Tests of URI templates before they are saved (specification 15.5). */
import { z } from 'zod'
import { AdminProblem } from '../../actions/problem-details.ts'
import { name } from '../../actions/schemas.ts'
import { buildDocument } from '../../configuration/build-document.ts'
import { itemSchemas } from '../../configuration/configuration.ts'
import { Refusal } from '../../model/refusal.ts'
import { buildUri } from '../../model/uri/build-uri.ts'
import { explainMatch } from '../../model/uri/explain-match.ts'
import { parseTarget } from '../../model/uri/target.ts'
import { compareSpecificity, parseUriTemplate, type UriTemplate } from '../../model/uri/uri-template.ts'
import { bindUri } from '../../steps/bind-uri.ts'
import { route } from '../route.ts'

const tag = 'URI templates'
const templates = {
  uriTemplates: z.array(z.string().max(2000)).max(200).describe('No template is the same as /'),
  elements: itemSchemas.documents.unwrap().shape.elements.default({}).describe('The elements of the document template'),
}
const value = z.union([z.string(), z.array(z.string())])

export const uriTemplateRoutes = [
  route({
    operationId: 'matchUriTemplates',
    tag,
    summary: 'Match a URL against URI templates, with the reason for each',
    description: 'Takes the part of the URL after <operation>.<version>. Changes nothing.',
    method: 'POST',
    path: '/api/uri-templates/match',
    access: 'viewer',
    body: name('UriMatching', z.object({ ...templates, path: z.string().max(8000) })),
    example: {
      uriTemplates: ['echo/{parameter1}'],
      elements: { parameter1: { type: 'String' } },
      path: '/echo/x',
    },
    answer: name(
      'UriMatch',
      z.object({
        templates: z.array(
          z.object({
            index: z.int().describe('Starts at 1'),
            source: z.string(),
            isMatch: z.boolean(),
            reason: z.string().describe('Why it is not the match'),
          }),
        ),
        values: z.record(z.string(), z.unknown()).nullable().describe('The values of the URI document'),
        refusal: z.string().nullable().describe('Code of the refusal that the call would get'),
      }),
    ),
    async handle({ body }) {
      const { parsed, document } = parse(body)
      const separator = body.path === '' || /^[/?]/.test(body.path) ? '' : '/'
      try {
        const encoded = body.path.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
        const target = parseTarget(`/IG/RESTListeningConnector/NODE/OPERATION.v1${separator}${encoded}`, 'IG')
        const verdicts = [...explainMatch(parsed, target)]
        try {
          const { values } = bindUri(target, { templates: parsed, document })
          return { body: { templates: verdicts, values: JSON.parse(JSON.stringify(values)), refusal: null } }
        } catch (error) {
          return { body: { templates: verdicts, values: null, refusal: reportRefusal(error) } }
        }
      } catch (error) {
        return { body: { templates: [], values: null, refusal: reportRefusal(error) } }
      }
    },
  }),
  route({
    operationId: 'buildUri',
    tag,
    summary: 'Build a URL from a URI template and values, like broker.getUrl',
    method: 'POST',
    path: '/api/uri-templates/build',
    access: 'viewer',
    body: name(
      'UriBuilding',
      z.object({
        ...templates,
        index: z.int().min(1).describe('Number of the template, starting at 1'),
        values: z.record(z.string(), value).describe('A collection takes a list'),
      }),
    ),
    example: {
      uriTemplates: ['echo/{parameter1}'],
      elements: { parameter1: { type: 'String' } },
      index: 1,
      values: { parameter1: 'x' },
    },
    answer: name(
      'BuiltUri',
      z.object({
        path: z.string().nullable().describe('The part after <operation>.<version>'),
        fault: z.string().nullable().describe('Why no URL can be built'),
      }),
    ),
    async handle({ body }) {
      const { parsed } = parse(body)
      const template = parsed.find(({ index }) => index === body.index)
      if (!template) throw new AdminProblem('invalid', `There is no URI template ${body.index}.`)
      try {
        return { body: { path: buildUri(template, body.values, parsed), fault: null } }
      } catch (error) {
        if ((error as Error).constructor !== Error) throw error
        return { body: { path: null, fault: `${(error as Error).message}.` } }
      }
    },
  }),
]

interface Templates {
  readonly uriTemplates: readonly string[]
  readonly elements: Parameters<typeof buildDocument>[0]['elements']
}

/** @throws AdminProblem with the errors of the templates */
function parse({ uriTemplates, elements }: Templates) {
  const document = buildDocument({ name: 'DOCUMENT', elements })
  const parsed: UriTemplate[] = []
  const problems = (uriTemplates.length > 0 ? uriTemplates : ['/']).flatMap((source, at) => {
    const result = parseUriTemplate(source, at + 1, document, `uriTemplates[${at}]`)
    if ('problems' in result) return result.problems
    parsed.push(result.template)
    return []
  })
  if (problems.length > 0) throw new AdminProblem('invalid', 'Some URI templates are invalid.', { problems })
  return { parsed: parsed.sort(compareSpecificity), document }
}

function reportRefusal(error: unknown): string {
  if (error instanceof Refusal) return error.detail ?? error.message
  throw error
}
