/** `node tools/build/remove.ts <paths…>`: removes files and folders of the checkout, on every system that npm runs on. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
for (const path of process.argv.slice(2)) rmSync(join(root, path), { recursive: true, force: true })
