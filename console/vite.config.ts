/** The build of the console and the API reference: into `dist/`, which administration serves (specification 18.14, 19.1). */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    rolldownOptions: {
      input: ['index.html', 'reference.html'].map((page) => join(import.meta.dirname, page)),
      // What many pages share is one file: thirty small ones would each wait for a round trip
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 4 }] } },
    },
    target: 'es2023',
    modulePreload: { polyfill: false }, // would be the only inline script
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
})
