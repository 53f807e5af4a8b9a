/** Signing in in a real browser: with a real identity provider, an authenticator app, a passkey (specification 34). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestAdmin, password } from '../support/admin.ts'
import { findViolations, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import { openRealProvider, signInWith } from '../support/provider.ts'
import { totpOf } from '../support/totp.ts'

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
  assert.equal(page.url(), `${admin.url}/console/callers?search=DEMO`)
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

test('19.13, 34.21, 34.24 an administrator who must have a second factor adds an app, and signs in with it', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const now = Date.now() // stands still: a busy machine may take longer than a code is good for
  const properties = { 'ig.admin.secondFactor': 'required' }
  const { admin } = await openTestAdmin(t, { database, properties, now: () => now })
  const { page, complaints, context } = await openPage(browser)
  const violations: string[] = []
  const look = async (name: string) => void violations.push(...(await findViolations(page, name)))
  const dialog = page.getByRole('dialog')
  const enter = async () => {
    await page.goto(`${admin.url}/console/operators`)
    await page.getByRole('textbox', { name: 'Name' }).fill('an viewer')
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await enter()
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor()
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(password)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor()
  await look('add-totp')
  const secret = ((await dialog.getByLabel('Key', { exact: true }).textContent()) ?? '').replaceAll(' ', '')
  await dialog.getByRole('textbox', { name: 'Code' }).fill(totpOf(secret, now))
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('Store the codes now').waitFor()
  await look('recovery-codes')
  const [code = ''] = ((await dialog.getByLabel('Recovery codes', { exact: true }).textContent()) ?? '').split('\n')
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('heading', { name: 'Callers', level: 1 }).waitFor()

  await context.clearCookies()
  await enter()
  await page.getByRole('textbox', { name: 'Code' }).fill('000000')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('The code or passkey was not accepted').waitFor()
  await look('second-factor')
  // One step ahead is a clock that is ahead: the step that added the app is used
  await page.getByRole('textbox', { name: 'Code' }).fill(totpOf(secret, now + 30_000))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Callers', level: 1 }).waitFor()

  await context.clearCookies()
  await enter()
  await page.getByRole('textbox', { name: 'Code' }).fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Callers', level: 1 }).waitFor()
  await page.goto(`${admin.url}/console/account`)
  await page.getByText('9 recovery codes left').waitFor()
  await look('account')
  assert.deepEqual([violations, complaints], [[], []])
})

test('34.22 an administrator adds a passkey and signs in with it; one whose counter does not increase is refused', async (t) => {
  const browser = await openBrowser(t)
  if (!browser) return
  const { admin, ask } = await openTestAdmin(t, { database })
  const { page, complaints, context } = await openPage(browser)
  const url = admin.url.replace('127.0.0.1', 'localhost') // passkeys need a name
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  t.after(() => devices.detach())
  const dialog = page.getByRole('dialog')
  await signIn(page, `${url}/console/account`, 'an viewer')
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('key ring')
  await dialog.getByRole('textbox', { name: 'Your password' }).fill(password)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText('Store the codes now').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByText('key ring').waitFor()

  const useKey = async () => {
    await context.clearCookies()
    await page.goto(`${url}/console/account`)
    await page.getByRole('textbox', { name: 'Name' }).fill('an viewer')
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Use a passkey' }).click()
  }
  // A copy of the key that did not see the uses since
  const { credentials } = await devices.send('WebAuthn.getCredentials', { authenticatorId })
  const [copy] = credentials
  assert.ok(copy && credentials.length === 1)
  await useKey()
  await page.getByText('last used').waitFor()
  await devices.send('WebAuthn.clearCredentials', { authenticatorId })
  await devices.send('WebAuthn.addCredential', { authenticatorId, credential: copy })
  await useKey()
  await page.getByText('The code or passkey was not accepted').waitFor()

  // Under another name the browser has no passkey to offer
  const body = { name: 'an viewer', password }
  const { secondFactor } = (await ask('POST /api/session', { as: 'nobody', body })).body
  assert.deepEqual([secondFactor.totp, secondFactor.passkey], [false, undefined])
  assert.deepEqual(complaints, [])
})
