/** The session of this browser (specification 18.7, 19.4). */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api, Problem, read, type Schemas, setSession, watchOtherSession } from './client.ts'

export type Session = Schemas['Session']
export type Role = Schemas['Role']

const key = ['session']

/** Shows the new user after another tab has signed in as a different one. */
export function useOtherSession(): void {
  const client = useQueryClient()
  useEffect(() => watchOtherSession((session) => client.setQueryData(key, session)), [client])
}

/** Null if signed out. When a session expires, its data stays until sign-out, so that open pages stay open. */
export function useSession() {
  const client = useQueryClient()
  return useQuery({
    queryKey: key,
    staleTime: 60_000,
    queryFn: async (): Promise<Session | null> => {
      try {
        const session = await read(api.GET('/api/session'))
        setSession(session)
        return session
      } catch (error) {
        if (error instanceof Problem && error.code === 'unauthenticated')
          return client.getQueryData<Session | null>(key) ?? null
        throw error
      }
    },
  })
}

/** For the sign-in page: passwords, an identity provider, or both. */
export function useWaysToSignIn() {
  return useQuery({ queryKey: [...key, 'ways'], staleTime: 60_000, queryFn: () => read(api.GET('/api/sign-in')) })
}

/** Continues after another tab has signed in. */
export function useResume() {
  return useSigningIn((_: undefined) => read(api.GET('/api/session')))
}

export function useSignIn() {
  return useSigningIn((body: Schemas['CredentialsInput']) => read(api.POST('/api/session', { body })))
}

/** Creates the first administrator with the token of the one-time link, and signs in. */
export function useAcceptInvitation() {
  return useSigningIn((body: Schemas['InvitationInput']) => read(api.POST('/api/invitation', { body })))
}

export function useSigningIn<Body>(mutationFn: (body: Body) => Promise<Session>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn,
    async onSuccess(session) {
      setSession(session)
      client.setQueryData(key, session)
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] })
    },
  })
}

export function useSignOut() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => read(api.DELETE('/api/session')),
    onSuccess() {
      setSession(undefined)
      client.setQueryData(key, null)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] })
    },
  })
}

export function useChangeOwnPassword() {
  return useMutation({
    mutationFn: (body: Schemas['PasswordChangeInput']) => read(api.PUT('/api/session/password', { body })),
  })
}

const order: readonly Role[] = ['viewer', 'operator', 'administrator']

export function useMay(role: Role): boolean {
  const { data } = useSession()
  return data ? order.indexOf(data.role) >= order.indexOf(role) : false
}
