/** VitePress's theme with the fonts of the system: nothing is loaded from elsewhere. */
import Theme from 'vitepress/theme-without-fonts'
import './theme.css'

export default Theme
