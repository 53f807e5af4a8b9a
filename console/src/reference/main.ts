/**
 * The reference of the administration API: Swagger UI for `/openapi.json`, with a search over all operations. Requests
 * run in the session of the console, or with an API token (specification 18.14).
 */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import { searchOperations } from './search-operations.ts'

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

const readCsrfToken = async (): Promise<string | undefined> =>
  ((await (await fetch('/api/session')).json()) as { csrfToken?: string }).csrfToken

SwaggerUI({
  domNode: document.getElementById('reference'),
  url: '/openapi.json',
  validatorUrl: null, // the default is an online validator
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  filter: true,
  plugins: [{ fn: { opsFilter: searchOperations } }],
  async requestInterceptor(request) {
    const isChange = !['GET', 'HEAD'].includes((request.method ?? 'GET').toUpperCase())
    if (!isChange || request.headers.Authorization !== undefined || request.headers['x-csrf-token']) return request
    const token = await readCsrfToken()
    return token === undefined ? request : { ...request, headers: { ...request.headers, 'x-csrf-token': token } }
  },
})
