/** The tokens of the console's look: colours with WCAG AA contrast in light and dark, type, a grid of 4 pixels. */
import { type CSSVariablesResolver, createTheme, defaultVariantColorsResolver } from '@mantine/core'

/** Colour is for what needs action; a badge always has words too. Text and tint, in light and in dark. */
const tones = {
  served: { light: ['#454d55', '#eceff1'], dark: ['#c3cad1', '#2b3239'] },
  refused: { light: ['#7a4300', '#fff0d6'], dark: ['#ffc76b', '#3d2e12'] },
  failed: { light: ['#a51d1d', '#fde8e8'], dark: ['#ff9b9b', '#451f1f'] },
  slow: { light: ['#6a2fa0', '#f2e8fb'], dark: ['#d9b3ff', '#35244a'] },
  cached: { light: ['#0b5394', '#e3effa'], dark: ['#8fc7ff', '#16324d'] },
} as const
export type Tone = keyof typeof tones
const isTone = (name: unknown): name is Tone => typeof name === 'string' && Object.hasOwn(tones, name)
/** `--served`, `--served-tint`, … */
const variablesOf = (scheme: 'light' | 'dark') =>
  Object.fromEntries(
    Object.entries(tones).flatMap(
      ([
        tone,
        {
          [scheme]: [text, tint],
        },
      ]) => [
        [`--${tone}`, text],
        [`--${tone}-tint`, tint],
      ],
    ),
  )

export const good: Tone = 'served'
export const doubtful: Tone = 'refused'

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
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.5rem', xl: '2rem' },
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '6px', xl: '6px' },
  defaultRadius: 'md',
  variantColorResolver: (input) =>
    input.variant === 'light' && isTone(input.color)
      ? {
          background: `var(--${input.color}-tint)`,
          hover: `var(--${input.color}-tint)`,
          color: `var(--${input.color})`,
          border: 'none',
        }
      : defaultVariantColorsResolver(input),
  respectReducedMotion: true,
  components: {
    Anchor: { defaultProps: { size: 'sm' } },
    Badge: {
      defaultProps: { variant: 'light', color: 'served', radius: 'sm' },
      styles: { root: { minWidth: 'max-content', flexShrink: 0, textTransform: 'none', fontWeight: 600 } },
    },
    // A closed list of hundreds of options is not there, instead of hidden
    Combobox: { defaultProps: { keepMounted: false } },
    Modal: { styles: { title: { fontWeight: 650, lineHeight: 1.3, minWidth: 0, overflowWrap: 'anywhere' } } },
    Textarea: { classNames: { input: 'grows' }, defaultProps: { resize: 'vertical' } },
  },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
})

/** What the style sheet takes from here, and Mantine's colours with too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: { '--header-height': '52px', '--navbar-width': '220px' },
  light: {
    ...variablesOf('light'),
    '--quiet-background': '#f6f8f9',
    '--series-1': '#0f606b',
    '--series-2': '#2f8a94',
    '--series-3': '#6a7178',
    '--chart-served': '#b3bcc4',
    '--chart-cached': '#5b9bd5',
    '--chart-slow': '#9a62cf',
    '--chart-refused': '#dd9a2b',
    '--chart-failed': '#cf3b3b',
    '--chart-band': '#0f606b22',
    '--mantine-color-dimmed': '#545b62',
    '--mantine-color-error': '#c92a2a',
    '--mantine-primary-color-light-color': '#073d45',
    '--mantine-color-placeholder': '#6a7178',
  },
  dark: {
    ...variablesOf('dark'),
    '--quiet-background': '#161b1f',
    '--series-1': '#74c3cc',
    '--series-2': '#4d9da6',
    '--series-3': '#97a2ac',
    '--chart-served': '#66717b',
    '--chart-cached': '#4a8cc7',
    '--chart-slow': '#a777d9',
    '--chart-refused': '#c98a2a',
    '--chart-failed': '#e05a5a',
    '--chart-band': '#74c3cc2e',
    '--mantine-color-anchor': '#7cc4cc',
    '--mantine-primary-color-light-color': '#a5d8de',
    '--mantine-color-dimmed': '#aab1b8',
    '--mantine-color-error': '#ff8787',
    '--mantine-color-placeholder': '#9aa1a8',
  },
})
