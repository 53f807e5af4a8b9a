/**
 * Tasks of an administrator in the console, with every click counted. The tests count the clicks,
 * the ordeal `walks` also the seconds. A hand clicks and types where it has clicked; nothing is filled by a script.
 */
import type { Locator, Page } from 'playwright-core'
import { entryOf } from './browser.ts'

export interface Hand {
  readonly page: Page
  clicks(): number
  click(what: Locator): Promise<void>
  /** Into what has the focus. */
  type(text: string): Promise<void>
  press(key: string): Promise<void>
}

export function openHand(page: Page): Hand {
  let clicks = 0
  return {
    page,
    clicks: () => clicks,
    async click(what) {
      clicks++
      await what.click()
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
  }
}

/** The most clicks that each walk may take. */
export const maxClicks = {
  'make an operation, permit it, activate it, call it': 9,
  'find why a call was refused': 3,
  'lock an operator': 3,
  'roll back': 3,
  'register an issuer': 7,
  'find the slowest operation of yesterday': 4,
  'find why a call failed': 2,
  'see the slowest call of the day as a timeline': 2,
  'find whether a caller may call an operation': 3,
  'roll back from Home': 2,
  'list all callers of an operation': 2,
  'export the failed calls of the last hour': 3,
  'silence an alert': 2,
  'compare with the day before': 1,
  'find what changed before the failures began': 1,
} as const

export type Walk = keyof typeof maxClicks

const callPage = (page: Page) => page.getByRole('region', { name: 'Call', exact: true })

interface NewOperation {
  readonly name: string
  readonly template: string
  readonly permissionList: string
  /** What is typed to find the handler. */
  readonly handler: string
  /** The first who may call it: Try it has chosen that one. */
  readonly operator: string
  /** For the only variable of the template. */
  readonly value: string
}

/** For a handler of the reference project. */
export const late: NewOperation = {
  name: 'LATE',
  template: '{word}',
  permissionList: 'PUBLIC',
  handler: 'cached',
  operator: 'GUEST',
  value: 'soon',
}

/** Starts on any page, ends with the response on the page of Try it. @param noticed after the first, incomplete save */
export async function makeOperation(hand: Hand, made: NewOperation, noticed = async () => {}): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Operations'))
  await hand.click(page.getByRole('link', { name: 'Add an operation' }))
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.and(page.locator(':focus')).waitFor()
  await hand.type(made.name)
  await noticed()
  await hand.click(page.getByLabel('URI template 1', { exact: true }))
  await hand.type(made.template)
  await hand.click(page.getByRole('radio', { name: 'Basic', exact: true }))
  await hand.click(page.getByRole('checkbox', { name: made.permissionList }))
  await hand.click(page.getByRole('combobox', { name: 'Handler' }))
  await hand.type(made.handler)
  await page.getByRole('option').first().waitFor()
  await hand.press('Enter')
  await hand.click(page.getByRole('button', { name: 'Save and review' }))
  await hand.click(page.getByRole('button', { name: 'Activate', exact: true }))
  await page.getByText(/^Revision \d+ is active\.$/).waitFor()
  await hand.click(page.getByRole('main').getByRole('link', { name: 'Try it' }))
  await page.getByRole('main').getByLabel(/^\w+$/).and(page.locator(':focus')).waitFor()
  await hand.type(made.value)
  await page
    .locator(`input[value="${made.operator}"]`)
    .and(page.getByRole('combobox', { name: 'Caller' }))
    .waitFor()
  await hand.press('Enter')
  await page.getByRole('heading', { name: 'Response: 200' }).waitFor()
}

/** @param reason that the page shows */
export async function findRefusal(hand: Hand, operation: string, reason: string): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Calls'))
  const row = page.getByRole('region', { name: 'Calls', exact: true }).getByRole('row').filter({ hasText: operation })
  await hand.click(row.first())
  await callPage(page).getByText(reason).first().waitFor()
}

export async function lockOperator(hand: Hand, operator: string): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Callers'))
  await hand.click(page.getByRole('link', { name: operator, exact: true }))
  await hand.click(page.getByRole('button', { name: 'Lock', exact: true }))
  await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor()
}

/** To a revision to which going back breaks no client. */
export async function rollBack(hand: Hand, revision: number): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Changes'))
  await hand.click(page.getByRole('button', { name: `Roll back to ${revision}` }).first())
  await hand.click(page.getByRole('button', { name: 'Roll back', exact: true }))
  await page.getByText(`Revision ${revision} is active.`).waitFor()
}

/** The page then names it. */
export async function findSlowest(hand: Hand, operation: string): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Home'))
  await hand.click(page.getByText('Yesterday', { exact: true }))
  await hand.click(page.getByRole('radiogroup', { name: 'Sort by' }).getByText('Slowest'))
  const rows = page.getByRole('region', { name: 'Operations' }).locator('tbody tr')
  await rows.first().filter({ hasText: operation }).waitFor()
}

/** @returns the lines for the properties file */
export async function registerIssuer(hand: Hand, metadataUrl: string, audience?: string): Promise<string> {
  const { page } = hand
  const dialog = page.getByRole('dialog')
  await hand.click(entryOf(page, 'Identity providers'))
  await hand.click(page.getByRole('button', { name: 'Register by metadata URL' }))
  await dialog.getByLabel('Metadata URL').and(page.locator(':focus')).waitFor()
  await hand.type(metadataUrl)
  if (audience !== undefined) {
    await hand.click(dialog.getByLabel('Audience'))
    await hand.type(audience)
  }
  await hand.click(dialog.getByRole('button', { name: 'Register' }))
  const settings = page.getByRole('region', { name: 'Settings' })
  const lines = await settings.getByText('ig.JSONWebKey=').innerText()
  await hand.click(settings.getByRole('button', { name: 'Copy', exact: true }))
  await hand.click(page.getByRole('link', { name: 'Draft Changes by' }))
  await hand.click(page.getByRole('button', { name: 'Activate', exact: true }))
  await page.getByText(/^Revision \d+ is active\.$/).waitFor()
  return lines
}

/** Those of Home begin there. @param reason that the page of the call shows */
export async function findFailure(hand: Hand, operation: string, reason: string): Promise<void> {
  const { page } = hand
  const calls = page.getByRole('region', { name: 'Last failed calls' }).first()
  await hand.click(calls.getByRole('row').filter({ hasText: operation }).first())
  await callPage(page).getByText(reason).first().waitFor()
}

export async function findSlowestCall(hand: Hand): Promise<void> {
  const { page } = hand
  const calls = page.getByRole('region', { name: 'Slowest calls of the day' }).first()
  await hand.click(calls.locator('tbody tr').first())
  await callPage(page).getByRole('region', { name: 'Steps' }).locator('.bar').first().waitFor()
}

/** @param verdict of the page */
export async function findPermission(hand: Hand, caller: string, operation: string, verdict: RegExp): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Callers'))
  await hand.click(page.getByRole('region', { name: 'Callers' }).getByRole('link', { name: caller, exact: true }))
  const mayCall = page.getByRole('region', { name: 'May call' })
  await hand.click(mayCall.getByRole('combobox', { name: 'Operation' }))
  await hand.type(operation)
  await page.getByRole('option', { name: operation, exact: true }).waitFor()
  await hand.press('Enter')
  await mayCall.getByRole('status').getByText(verdict).waitFor()
}

export async function rollBackFromHome(hand: Hand, revision: number): Promise<void> {
  const { page } = hand
  const state = page.getByRole('region', { name: 'State' })
  await hand.click(state.getByRole('button', { name: `Roll back to ${revision}` }))
  await hand.click(page.getByRole('dialog').getByRole('button', { name: 'Roll back', exact: true }))
  await page.getByText(`Revision ${revision} is active.`).waitFor()
}

/** From its row on Home. */
export async function listCallers(hand: Hand, operation: string, caller: string): Promise<void> {
  const { page } = hand
  const operations = page.getByRole('region', { name: 'Operations' })
  await hand.click(operations.getByRole('link', { name: operation, exact: true }))
  await hand.click(
    page.getByRole('navigation', { name: 'Operation', exact: true }).getByRole('link', { name: 'Callers' }),
  )
  await page.getByRole('row').filter({ hasText: caller }).first().waitFor()
}

/** @returns the file */
export async function exportFailures(hand: Hand): Promise<string> {
  const { page } = hand
  await hand.click(page.getByRole('link', { name: 'Failed in the last hour' }))
  await hand.click(page.getByRole('button', { name: 'Columns, export and views of Calls' }))
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    hand.click(page.getByRole('menuitem', { name: 'CSV' })),
  ])
  return download.path()
}

export async function silenceAlert(hand: Hand, alert: string): Promise<void> {
  const { page } = hand
  await hand.click(entryOf(page, 'Alerts'))
  await hand.click(page.getByRole('button', { name: `Silence for 8 hours: ${alert}` }))
  await page.getByText(`${alert} is silent for 8 hours.`).waitFor()
}

/** The charts of an hour have the same hour of the day before. */
export async function compareWithDayBefore(hand: Hand): Promise<void> {
  const { page } = hand
  await hand.click(page.getByText('1 h', { exact: true }))
  await page.getByText('All yesterday').first().waitFor()
}

export async function findChangeBefore(hand: Hand, revision: number, change: string): Promise<void> {
  const { page } = hand
  const state = page.getByRole('region', { name: 'State' })
  await hand.click(state.getByRole('link', { name: `revision ${revision}` }))
  await page.getByRole('main').getByText(change).first().waitFor()
}
