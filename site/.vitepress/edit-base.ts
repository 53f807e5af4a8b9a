/** Where the pages of this build can be edited: in the repository that package.json names, or that the checkout was cloned from. */
import { execFileSync, type StdioOptions } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @returns undefined if there is no such repository on the web */
export function findEditBase(root: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const web = webAddress(repository?.url ?? readOrigin(root))
  return web && `${web}/edit/main`
}

/** @param url of a repository, as git or npm writes it */
export function webAddress(url: string): string | undefined {
  const [, host, path] =
    /^(?:git\+)?(?:https?:\/\/|ssh:\/\/|git:\/\/)?(?:[^@/]*@)?([\w.-]+\.\w+)[:/](.+?)(?:\.git)?\/?$/.exec(url) ?? []
  return host && `https://${host}/${path}`
}

function readOrigin(root: string): string {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8', stdio }).trim()
  } catch {
    return '' // no git, or no origin
  }
}
