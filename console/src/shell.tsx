/** The frame of every page: navigation, user menu, current draft (specification 19.3). */
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Suspense, useEffect, useRef } from 'react'
import { type Session, useMay, useSignOut } from './api/session.ts'
import { CurrentDraftProvider, useCurrentDraft } from './current-draft.tsx'
import type { Page } from './page.ts'
import { findPage, firstPage, pages } from './pages.ts'
import { ErrorBoundary } from './parts/error-boundary.tsx'
import { Loaded } from './parts/loaded.tsx'
import { OutageBanner } from './parts/outage-banner.tsx'
import { CurrentPage } from './parts/page-head.tsx'
import { Toast, ToastProvider } from './parts/toast.tsx'
import { go, hrefOf, mayLeaveAll, onLink, usePlace } from './router.tsx'

const loading = { data: undefined, error: null, refetch: () => Promise.reject() }

export function Shell({ session }: { readonly session: Session }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { path } = usePlace()
  const found = findPage(path)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const burger = useRef<HTMLButtonElement>(null)

  useEffect(() => {
    if (!isOpen) return
    const closeByEscape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return
      close()
      burger.current?.focus()
    }
    addEventListener('keydown', closeByEscape)
    return () => removeEventListener('keydown', closeByEscape)
  }, [isOpen, close])

  useEffect(() => {
    if (path === '/') go(firstPage, { replaces: true })
  }, [path])
  const place = found?.page.staysBelow ? found.page.path : path
  useEffect(() => {
    close()
    document.title = `${found?.page.title ?? 'Not found'} – Integration Gateway`
    if (!isFirst.current) main.current?.focus() // screen readers continue there
    isFirst.current = false
  }, [place])

  return (
    <ToastProvider>
      <CurrentDraftProvider>
        <a href="#main" className="skip">
          Skip to content
        </a>
        <AppShell
          header={{ height: 52 }}
          navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
          padding="md"
        >
          <AppShell.Header>
            <Group h="100%" px="md" justify="space-between" wrap="nowrap">
              <Group gap="sm" wrap="nowrap" miw={0}>
                <Burger
                  ref={burger}
                  opened={isOpen}
                  onClick={toggle}
                  hiddenFrom="sm"
                  size="sm"
                  aria-label="Navigation"
                  aria-expanded={isOpen}
                />
                <Text fw={650} truncate>
                  Integration Gateway
                </Text>
              </Group>
              <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
                <DraftLink />
                <SchemeToggle />
                <Person session={session} />
              </Group>
            </Group>
          </AppShell.Header>
          <AppShell.Navbar aria-label="Pages" className={isOpen ? undefined : 'closed'}>
            <AppShell.Section grow component={ScrollArea} p="xs">
              <Navigation current={found?.page} />
            </AppShell.Section>
          </AppShell.Navbar>
          <AppShell.Main ref={main} tabIndex={-1} id="main" style={{ outline: 'none' }}>
            <Toast />
            <OutageBanner />
            {found ? (
              <ErrorBoundary key={found.page.path}>
                <Suspense fallback={<Loaded query={loading}>{() => null}</Loaded>}>
                  <CurrentPage value={found.page}>
                    <found.page.show id={found.id} />
                  </CurrentPage>
                </Suspense>
              </ErrorBoundary>
            ) : (
              path !== '/' && <Title order={1}>Page not found</Title>
            )}
          </AppShell.Main>
        </AppShell>
      </CurrentDraftProvider>
    </ToastProvider>
  )
}

function Navigation({ current }: { readonly current: Page | undefined }) {
  const mayAll = useMay('administrator')
  const offered = pages.filter(({ role }) => role !== 'administrator' || mayAll)
  const groups = Object.entries(Object.groupBy(offered, ({ group = '' }) => group)).filter(([group]) => group !== '')
  return groups.map(([group, members = []]) => (
    <div key={group}>
      <Text size="xs" c="dimmed" px="sm" pt="sm" pb={4}>
        {group}
      </Text>
      {members.map(({ path, title }) => (
        <NavLink
          key={path}
          href={hrefOf(path)}
          onClick={onLink(path)}
          label={title}
          active={current?.path === path}
          aria-current={current?.path === path ? 'page' : undefined}
          py={4}
        />
      ))}
    </div>
  ))
}

function DraftLink() {
  const { draft, title } = useCurrentDraft()
  if (draft === '' || title === undefined) return null
  const to = `/drafts/${encodeURIComponent(draft)}`
  return (
    <Button component="a" href={hrefOf(to)} onClick={onLink(to)} size="xs" aria-label={`Draft ${title}`}>
      <Text size="sm" truncate maw={280} visibleFrom="sm">
        {title}
      </Text>
      <Text size="sm" hiddenFrom="sm">
        Draft
      </Text>
    </Button>
  )
}

function SchemeToggle() {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light'
  return (
    <ActionIcon variant="default" size="lg" aria-label={`Use ${other} colours`} onClick={() => setColorScheme(other)}>
      <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true">
        <circle cx="10" cy="10" r="7.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
        <path d="M10 2.5a7.5 7.5 0 0 1 0 15z" fill="currentColor" />
      </svg>
    </ActionIcon>
  )
}

function Person({ session: { name, role } }: { readonly session: Session }) {
  const { mutate } = useSignOut()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size="lg"
          w="auto"
          px="sm"
          maw={{ base: 84, sm: 200 }}
          aria-label={`${name}, ${role}`}
        >
          <Text size="sm" truncate>
            {name}
          </Text>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name}, {role}
        </Menu.Label>
        <Menu.Item component="a" href={hrefOf('/account')} onClick={onLink('/account')}>
          Your account
        </Menu.Item>
        <Menu.Item component="a" href="/reference" target="_blank">
          API reference
        </Menu.Item>
        <Menu.Item component="a" href="/docs/" target="_blank">
          Documentation
        </Menu.Item>
        <Menu.Item onClick={() => mayLeaveAll() && mutate()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
