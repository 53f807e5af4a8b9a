/** Second factors of the user, and the second step of signing in (specification 34.20 to 34.25, 34.27). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api, read, type Schemas } from './client.ts'
import { refetch } from './refetch.ts'
import { useSigningIn } from './session.ts'

export type SecondFactor = Schemas['SecondFactor']
/** How to continue after the password. */
export type SecondFactorChallenge = NonNullable<Schemas['ProblemDetails']['secondFactor']>

const browser = () => import('@simplewebauthn/browser')

export function useSecondFactors() {
  return useQuery({ queryKey: ['second-factors'], queryFn: () => read(api.GET('/api/session/second-factors')) })
}

/** Also the session, which may have lacked one. */
export function useRefetchSecondFactors() {
  const client = useQueryClient()
  const stale = ['second-factors', 'session', 'administrators']
  return () => refetch(client, { predicate: ({ queryKey }) => stale.includes(String(queryKey[0])) })
}

export function useBeginTotp() {
  return useMutation({
    mutationFn: (password: string) => read(api.POST('/api/session/second-factors/totp', { body: { password } })),
  })
}

export function useAddTotp() {
  return useMutation({
    mutationFn: (body: Schemas['TotpConfirmationInput']) =>
      read(api.POST('/api/session/second-factors/totp/confirmation', { body })),
  })
}

export function useAddPasskey() {
  return useMutation({
    async mutationFn({ password, name }: { readonly password: string; readonly name: string }) {
      const { options } = await read(api.POST('/api/session/second-factors/passkey', { body: { password } }))
      const { startRegistration } = await browser()
      const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON']
      const response = { ...(await startRegistration({ optionsJSON })) }
      return read(api.POST('/api/session/second-factors/passkey/confirmation', { body: { name, response } }))
    },
  })
}

export function useRemoveSecondFactor(id: string) {
  return useMutation({
    mutationFn: (password: string) =>
      read(api.POST('/api/session/second-factors/{id}/removal', { params: { path: { id } }, body: { password } })),
  })
}

export function useReplaceRecoveryCodes() {
  return useMutation({
    mutationFn: (password: string) => read(api.POST('/api/session/recovery-codes', { body: { password } })),
  })
}

export function useSignInWithCode() {
  return useSigningIn((body: Schemas['SecondFactorProofInput']) =>
    read(api.POST('/api/session/second-factor', { body })),
  )
}

export function useSignInWithPasskey() {
  return useSigningIn(async ({ name, asked }: { readonly name: string; readonly asked: SecondFactorChallenge }) => {
    const { startAuthentication } = await browser()
    const optionsJSON = asked.passkey as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON']
    const passkey = { ...(await startAuthentication({ optionsJSON })) }
    return read(api.POST('/api/session/second-factor', { body: { name, ticket: asked.ticket, passkey } }))
  })
}
