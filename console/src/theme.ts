/** The tokens of the console's look: colours with WCAG AA contrast in light and dark, type, spacing. */
import { type CSSVariablesResolver, createTheme } from '@mantine/core'

/** For badges with white text. */
export const good = '#1f6b2e'
export const doubtful = '#8f4700'

export const theme = createTheme({
  colors: {
    brand: [
      ...(['#e8f4f5', '#d2e7e9', '#a5cfd4', '#74b4bb', '#4d9da6', '#318791'] as const),
      ...(['#267d88', '#1d737e', '#0f606b', '#0a4f58'] as const),
    ],
    dark: [
      ...(['#d3d9de', '#b8c1c9', '#97a2ac', '#6b7680', '#3d464e', '#2f373e'] as const),
      ...(['#252c32', '#1b2126', '#161b1f', '#101417'] as const),
    ],
  },
  primaryColor: 'brand',
  primaryShade: { light: 8, dark: 8 },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { size: 'sm' } },
    Badge: { styles: { root: { minWidth: 'max-content', flexShrink: 0, textTransform: 'none' } } },
    // A closed list of hundreds of options is not there, instead of hidden
    Combobox: { defaultProps: { keepMounted: false } },
    Modal: { styles: { title: { fontWeight: 650, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' } } },
    Textarea: { classNames: { input: 'grows' }, defaultProps: { resize: 'vertical' } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
})

/** What the style sheet takes from here, and Mantine's colours with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--header-height': '52px', '--navbar-width': '232px' },
  light: {
    '--quiet-background': '#f6f8f9',
    '--series-1': '#0064a6',
    '--series-2': '#b34700',
    '--series-3': '#7a3f8f',
    '--mantine-color-dimmed': '#545b62',
    '--mantine-color-error': '#c92a2a',
    '--mantine-primary-color-light-color': '#073d45',
    '--mantine-color-placeholder': '#6a7178',
  },
  dark: {
    '--quiet-background': '#161b1f',
    '--series-1': '#62b5ec',
    '--series-2': '#f0a35e',
    '--series-3': '#d3a1e0',
    '--mantine-color-anchor': '#7cc4cc',
    '--mantine-primary-color-light-color': '#a5d8de',
    '--mantine-color-dimmed': '#aab1b8',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#9aa1a8',
  },
})
