/** The frame of every page: navigation, user menu, current draft (specification 19.1). */
import { ActionIcon, AppShell, Badge, Burger, Button, Group, Kbd, Menu, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Search, SunMoon } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { type Session, useMay, useSignOut } from './api/session.ts'
import { useGatewayState } from './api/state.ts'
import { CurrentDraftProvider, useCurrentDraft } from './current-draft.tsx'
import icon from './icon.svg'
import { navigation, type Page, type PageCount } from './page.ts'
import { findPage, firstPage, firstTitle, listedPages } from './pages.ts'
import { ErrorBoundary } from './parts/error-boundary.tsx'
import { Loaded } from './parts/loaded.tsx'
import { NavigationFoot } from './parts/navigation-foot.tsx'
import { OutageBanner } from './parts/outage-banner.tsx'
import { CurrentPage, product, useTabTitle } from './parts/page-head.tsx'
import { useSchemes } from './parts/schemes.ts'
import { Toast, ToastProvider } from './parts/toast.tsx'
import { useShortcuts } from './parts/use-shortcuts.ts'
import { go, hrefOf, Link, mayLeaveAll, onLink, usePlace } from './router.tsx'

const Palette = lazy(() => import('./parts/palette.tsx'))
const KeyboardHelp = lazy(() => import('./parts/keyboard-help.tsx'))

const loading = { data: undefined, error: null, refetch: () => Promise.reject() }

export function Shell({ session }: { readonly session: Session }) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  const { path } = usePlace()
  const found = findPage(path)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const burger = useRef<HTMLButtonElement>(null)
  const [above, setAbove] = useState<'palette' | 'help'>()
  const onPalette = useCallback(() => setAbove('palette'), [])
  const onHelp = useCallback(() => setAbove('help'), [])
  const onClose = useCallback(() => setAbove(undefined), [])
  useShortcuts({ onPalette, onHelp })
  const listed = listedPages(useMay('administrator'), useGatewayState().data?.passesThrough ?? false)

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
  useEffect(close, [path])
  useEffect(() => {
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
          header={{ height: 'var(--header-height)' }}
          navbar={{ width: 'var(--navbar-width)', breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
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
                <img src={icon} alt="" width={26} height={26} />
                <Text fw={650} truncate visibleFrom="xs">
                  {product}
                </Text>
              </Group>
              <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
                <FindButton onClick={onPalette} />
                <DraftLink />
                <SchemeToggle />
                <Person session={session} />
              </Group>
            </Group>
          </AppShell.Header>
          <AppShell.Navbar aria-label="Pages" className={isOpen ? 'navbar' : 'navbar closed'}>
            <AppShell.Section grow p="xs" style={{ overflowY: 'auto' }}>
              <Navigation listed={listed} current={found?.page} />
            </AppShell.Section>
            <AppShell.Section p="xs">
              <NavigationFoot onHelp={onHelp} />
            </AppShell.Section>
          </AppShell.Navbar>
          <AppShell.Main ref={main} tabIndex={-1} id="main" style={{ outline: 'none' }}>
            <Toast />
            <OutageBanner />
            {found ? (
              <ErrorBoundary key={found.page.path}>
                <Suspense fallback={<Loaded query={loading}>{() => null}</Loaded>}>
                  <CurrentPage value={{ page: found.page, listed }}>
                    <found.page.show id={found.id} />
                  </CurrentPage>
                </Suspense>
              </ErrorBoundary>
            ) : (
              path !== '/' && <PageNotFound />
            )}
          </AppShell.Main>
        </AppShell>
        <Suspense>
          {above === 'palette' && <Palette onClose={onClose} onHelp={onHelp} />}
          {above === 'help' && <KeyboardHelp onClose={onClose} />}
        </Suspense>
      </CurrentDraftProvider>
    </ToastProvider>
  )
}

function PageNotFound() {
  useTabTitle('Not found')
  return (
    <>
      <Title order={1}>Page not found</Title>
      <Text my="sm">The console has no page at this address.</Text>
      <Link to={firstPage}>{firstTitle}</Link>
    </>
  )
}

interface NavigationProps {
  readonly listed: readonly Page[]
  readonly current: Page | undefined
}

function Navigation({ listed, current }: NavigationProps) {
  return navigation.map((names) => (
    <div key={names[0]} className="page-group">
      {names.map((name) => {
        const first = listed.find(({ section }) => section === name)
        if (!first) return null
        const { path, icon: Icon, count } = first
        return (
          <a
            key={name}
            href={hrefOf(path)}
            onClick={onLink(path)}
            className="page-link"
            aria-current={current?.section !== name ? undefined : current === first ? 'page' : 'true'}
          >
            <Icon size={16} strokeWidth={1.8} aria-hidden />
            {name}
            {count && <Count key={path} of={count} />}
          </a>
        )
      })}
    </div>
  ))
}

function Count({ of: { one, tone, useCount } }: { readonly of: PageCount }) {
  const count = useCount()
  if (count === 0) return null
  return (
    <Badge color={tone} ml="auto" role="img" aria-label={`${count} ${count === 1 ? one : `${one}s`}`}>
      {count}
    </Badge>
  )
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

function FindButton({ onClick }: { onClick(): void }) {
  return (
    <>
      <Button
        variant="default"
        size="compact-md"
        visibleFrom="sm"
        h={34}
        c="dimmed"
        fw={400}
        leftSection={<Search size={15} aria-hidden />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={onClick}
      >
        Find
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" aria-label="Find" onClick={onClick}>
        <Search size={16} aria-hidden />
      </ActionIcon>
    </>
  )
}

function SchemeToggle() {
  const { other, toggle } = useSchemes()
  return (
    <ActionIcon variant="default" size="lg" aria-label={`Use ${other} colours`} onClick={toggle}>
      <SunMoon size={16} aria-hidden />
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
