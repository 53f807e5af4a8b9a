/** The console: providers of style and data around the shell (specification 19). */
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { Problem } from './api/client.ts'
import { findPage, firstPage } from './pages.ts'
import { readPlace } from './router.tsx'
import { SessionGate } from './session-gate.tsx'
import { cssVariables, theme } from './theme.ts'
import './mantine.css'
import './console.css'

const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? ''
setNonce(nonce) // for the scroll lock of Mantine's dialogs

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2000,
      retry: (count, error) => count < 2 && error instanceof Problem && error.code === 'unreachable',
    },
    mutations: { networkMode: 'always' },
  },
})

const root = createRoot(document.getElementById('root') as HTMLElement)
startTransition(() =>
  root.render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={client}>
          <SessionGate />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  ),
)

queueMicrotask(() => {
  const { path } = readPlace()
  const found = findPage(path === '/' ? firstPage : path)
  found?.page.show.load().catch(() => {}) // while the session is asked for; the page reports a failure when it is shown
})
