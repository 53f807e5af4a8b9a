/** Colours with WCAG AA contrast, in light and dark. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** For badges with white text. */
export const good = '#1f6b2e'
export const doubtful = '#8f4700'

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { size: 'sm' } },
    Badge: { styles: { root: { minWidth: 'max-content', flexShrink: 0, textTransform: 'none' } } },
    Modal: { styles: { title: { fontWeight: 650, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' } } },
  },
  headings: { sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } } },
})

/** Replaces Mantine's colours with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#545b62',
    '--mantine-color-error': '#c92a2a',
    '--mantine-primary-color-light-color': '#0b4a85',
    '--mantine-color-placeholder': '#6a7178',
  },
  dark: {
    '--mantine-color-dimmed': '#aab1b8',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#9aa1a8',
  },
})
