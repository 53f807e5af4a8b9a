/** The options of Swagger UI that the reference uses; the package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Request {
    readonly method?: string
    readonly headers: Readonly<Record<string, string>>
  }
  interface Options {
    readonly domNode: HTMLElement | null
    readonly url: string
    readonly validatorUrl: null
    readonly deepLinking: boolean
    readonly docExpansion: 'list' | 'full' | 'none'
    readonly defaultModelsExpandDepth: number
    readonly displayOperationId: boolean
    readonly displayRequestDuration: boolean
    readonly tryItOutEnabled: boolean
    readonly filter: boolean
    readonly plugins: readonly { readonly fn: Readonly<Record<string, unknown>> }[]
    requestInterceptor(request: Request): Request | Promise<Request>
  }
  export default function SwaggerUI(options: Options): void
}
