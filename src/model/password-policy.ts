/**
 * The rules for new passwords, wherever they are set: console, API, command line, setup link, samples (specification
 * 3.23).
 */
import { randomBytes } from 'node:crypto'
import { commonLong, commonWords } from './common-passwords.ts'

export const passwordRule =
  '12 to 1,024 characters, no control characters, not the id or name itself, not a common password'

type Rule = readonly [breaks: (password: string, id: string) => boolean, message: string]

const rules: readonly Rule[] = [
  [(password) => !/^.{12,1024}$/su.test(password), 'must have 12 to 1,024 characters'],
  [(password) => /\p{Cc}/u.test(password), 'must not have control characters or several lines'], // RFC 7617
  [(password, id) => folded(password) === folded(id), 'must not be the id or name itself'],
  [(password) => isCommon(folded(password)), 'is a common password: choose another one'],
]

/** @returns what is wrong; undefined for a valid password */
export function findPasswordProblem(password: string, id: string): string | undefined {
  return rules.find(([breaks]) => breaks(password.normalize('NFC'), id))?.[1]
}

/** 144 random bits. */
export function generatePassword(): string {
  return randomBytes(18).toString('base64url')
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

/**
 * A common word with a common ending (`P@ssw0rd1234`), a long common password, digits only, or a few characters
 * repeated.
 */
function isCommon(password: string): boolean {
  const isSimple = /^\d{1,20}$|^(.{1,8}?)\1+.?$/su.test(password)
  return isSimple || commonLong.has(password) || stemsOf(password).some(isCommonWord)
}

/** Without up to 10 trailing signs: the last ones may belong to the word, as in `welc0m3`. */
function stemsOf(password: string): readonly string[] {
  const [ending = ''] = /[^\p{L}\p{M}]{0,10}$/u.exec(password) ?? []
  return Array.from({ length: ending.length + 1 }, (_, length) => password.slice(0, password.length - length))
}

function isCommonWord(stem: string): boolean {
  return commonWords.has(stem) || commonWords.has(stem.replace(/[@01345$]/g, (sign) => letters[sign] ?? sign))
}

const letters: Readonly<Record<string, string>> = { '@': 'a', '0': 'o', '1': 'i', '4': 'a', '3': 'e', $: 's', '5': 's' }
