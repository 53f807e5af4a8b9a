/** The build of the console and the API reference: into `dist/`, which administration serves (specification 18.14, 19.1). */
import { basename, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), listFilesOfPages(), compress()],
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

/** `pages.json`: the scripts of each page of `src/pages/` and of features, by its name, which the response with the page names (specification 18.13). */
function listFilesOfPages(): Plugin {
  return {
    name: 'files of pages',
    generateBundle(_, bundle) {
      const filesOf = (file: string, known: Set<string>): Set<string> => {
        const chunk = bundle[file]
        if (known.has(file) || chunk?.type !== 'chunk') return known
        known.add(file)
        for (const imported of chunk.imports) filesOf(imported, known)
        return known
      }
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const entry = chunks.find(({ isEntry, name }) => isEntry && name === 'index')
      const first = entry ? filesOf(entry.fileName, new Set()) : new Set()
      const pages = chunks
        .filter(({ isDynamicEntry }) => isDynamicEntry)
        .map(({ facadeModuleId, fileName }) => [
          relative(join(import.meta.dirname, 'src/pages'), facadeModuleId ?? '').replace(
            /^\.\.\/features\/[\w-]+\/|\.tsx$/g,
            '',
          ),
          [...filesOf(fileName, new Set())].filter((file) => !first.has(file)).map((file) => basename(file)),
        ])
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(Object.fromEntries(pages)) })
    },
  }
}

/** A Brotli form beside each file, at a quality that would take a request too long. The reference alone would take four seconds. */
function compress(): Plugin {
  return {
    name: 'compress',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          const { fileName } = file
          if (!/^assets\/(?!reference).*\.(js|css|svg)$/.test(fileName)) continue
          const source = brotliCompressSync(file.type === 'chunk' ? file.code : file.source)
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source })
        }
      },
    },
  }
}
