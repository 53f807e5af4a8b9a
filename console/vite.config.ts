/** The console's build: into `dist/`, which the administration plane serves at `/console` (specification 19.1). */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false }, // would be the only inline script
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
})
