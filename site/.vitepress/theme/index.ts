/** VitePress's theme with the fonts of the system: nothing is loaded from elsewhere. */
import type { EnhanceAppContext } from 'vitepress'
import Theme from 'vitepress/theme-without-fonts'
import './theme.css'

export default {
  extends: Theme,
  /** The search gets a function, which the configuration can only pass on as text: the policy of the page permits no `eval`. */
  enhanceApp({ siteData }: EnhanceAppContext) {
    const { themeConfig, ...rest } = siteData.value
    const options = { miniSearch: { searchOptions: { boost, boostDocument } } }
    siteData.value = { ...rest, themeConfig: { ...themeConfig, search: { ...themeConfig.search, options } } }
  },
}

/** `titles` are those above the heading. */
const boost = { title: 4, text: 1, titles: 0.2 }

/** Pages that are looked up come first, decisions last. @param id the address of an entry */
function boostDocument(id: string): number {
  if (id.includes('/explanation/decisions/')) return 0.001
  return id.includes('/reference/specification') || id.includes('/reference/features/') ? 0.5 : 1
}
