/** Signing in in a real browser: with a real identity provider (specification 34). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin } from '../support/admin.ts'
import { findViolations, openBrowser, openPage } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { openRealProvider, signInWith } from '../support/provider.ts'

const database = findDatabase('SQLite')

test('19.13, 34.1, 34.7 an administrator signs in with the identity provider, and reads why it did not work', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const provider = await openRealProvider(t, { email: 'kim@example.com', groups: ['on-call'] })
  const { admin } = await openTestAdmin(t, { database, properties: signInWith(provider.issuer) })
  const { page, complaints, context } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  await provider.serve(`${admin.url}/api/session/provider/callback`)

  await page.goto(`${admin.url}/console/operators?search=DEMO`)
  await page.getByRole('textbox', { name: 'Password' }).waitFor()
  await look('sign-in-provider')
  await page.getByRole('link', { name: 'Sign in with single sign-on' }).click()
  await page.getByPlaceholder('Enter any login').fill('kim')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'DEMO', exact: true }).waitFor()
  assert.equal(page.url(), `${admin.url}/console/operators?search=DEMO`)
  await page.getByRole('button', { name: 'kim@example.com, operator' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  await page.getByText('You sign in with the identity provider').waitFor()
  await look('account-provider')

  await context.clearCookies()
  await page.goto(`${admin.url}/api/session/provider/callback?code=x&state=y`)
  await page.getByText('The sign-in was not valid or took too long').waitFor()
  await look('sign-in-refused')
  assert.deepEqual([violations, complaints], [[], []])
})
