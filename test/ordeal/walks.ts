/** The tasks of an administrator in the console, by counted clicks of a real browser. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { openSampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { writeDayBefore, writeHalfHourBefore, writeYesterday } from '../features/metrics/yesterday.ts'
import { openTestAdmin } from '../support/admin.ts'
import { breakMetadata } from '../support/break-metadata.ts'
import { executablePath, openBrowser, openPage, signIn } from '../support/browser.ts'
import { findDatabase } from '../support/databases.ts'
import * as walks from '../support/walks.ts'
import type { Ordeal, Tally } from './ordeal.ts'

const database = findDatabase('SQLite')
const properties = { 'ig.monitor': 'on' }
const connector = '/PSIGW/RESTListeningConnector/LOCAL_NODE'

export const walksOfTheConsole: Ordeal = {
  name: 'walks',
  title:
    'the tasks of an administrator in the console, in a real browser; seconds are those of the machine, not of a person',
  figure: Object.entries(walks.maxClicks)
    .map(([walk, max]) => `${walk}: ${max} clicks`)
    .join('; '),
  trials: 3,
  needs: () => (executablePath ? undefined : 'chromium: apt-get install -y chromium'),
  async open({ say }) {
    execFileSync(process.execPath, [join(import.meta.dirname, '../../console/build.js')]) // only if a source has changed
    return {
      async trial() {
        await using stack = new AsyncDisposableStack()
        return await walkAll(
          {
            passed: true,
            after: (work: () => unknown) => stack.defer(async () => void (await work())),
          } as object as TestContext,
          say,
        )
      },
      close: async () => {},
    }
  },
  judge: (tally: Tally) =>
    Object.entries(walks.maxClicks).flatMap(([walk, max]) => {
      const clicks = tally[`max clicks to ${walk}`] ?? Number.POSITIVE_INFINITY
      return clicks > max ? [`${walk}: ${clicks} clicks`] : []
    }),
}

async function walkAll(t: TestContext, say: (line: string) => void): Promise<Tally> {
  const browser = await openBrowser(t)
  if (!browser) throw new Error('there is no browser')
  const issuer = await openSampleIssuer({
    host: '127.0.0.1',
    port: 0,
    operators: [{ id: 'DEMO', email: 'demo@example.com', clientSecret: 'demo-secret' }],
  })
  t.after(() => issuer.close())
  const { page } = await openPage(browser)
  const { admin, opened } = await openTestAdmin(t, { database, properties })
  await writeYesterday(opened.gateway.store.databases)
  const wrong = `Basic ${Buffer.from('DEMO:wrong').toString('base64')}`
  await fetch(`${opened.url}${connector}/KEY_VALUE.v1/a`, { headers: { authorization: wrong } })
  await signIn(page, `${admin.url}/console/account`, 'an administrator')
  const tally: Record<string, number> = {}
  const walk = async <Result>(name: walks.Walk, work: (hand: walks.Hand) => Promise<Result>) => {
    const hand = walks.openHand(page)
    const begun = performance.now()
    const result = await work(hand)
    const seconds = (performance.now() - begun) / 1000
    say(`${name}: ${hand.clicks()} clicks, ${seconds.toFixed(1)} s`)
    tally[`max clicks to ${name}`] = hand.clicks()
    tally[`max seconds to ${name}`] = seconds
    return result
  }
  await walk('make an operation, permit it, activate it, call it', (hand) => walks.makeOperation(hand, walks.late))
  await walk('find why a call was refused', (hand) => walks.findRefusal(hand, 'KEY_VALUE_GET.v1', 'wrong password'))
  await page.keyboard.press('Escape')
  await walk('lock an operator', (hand) => walks.lockOperator(hand, 'DEMO2'))
  await walk('find the slowest operation of yesterday', (hand) => walks.findSlowest(hand, 'SLOW_GET.v1'))
  const lines = await walk('register an issuer', (hand) =>
    walks.registerIssuer(hand, `${issuer.issuer}/.well-known/openid-configuration`),
  )
  await walk('roll back', (hand) => walks.rollBack(hand, 2))
  await callWithToken(t, lines, issuer)
  await walkFromHome(t, page, walk)
  return tally
}

type Walker = <Result>(name: walks.Walk, work: (hand: walks.Hand) => Promise<Result>) => Promise<Result>

/** Of a gateway whose second revision made an operation fail. */
export async function walkFromHome(t: TestContext, page: Page, walk: Walker): Promise<void> {
  const failing = await openTestAdmin(t, { database, properties })
  const { admin, opened } = failing
  const call = (path: string) => fetch(`${opened.url}${connector}/${path}`)
  await call('ECHO.v1/echo/x')
  await breakMetadata(failing)
  for (let count = 0; count < 30; count++) await call('METADATA.v1/')
  const home = `${admin.url}/console/home`
  const alert = 'GatewayFaults:METADATA_GET.v1'
  await writeDayBefore(opened.gateway.store.databases)
  await writeHalfHourBefore(opened.gateway.store.databases)
  await signIn(page, home, 'an administrator')
  const fromHome = async <Result>(name: walks.Walk, work: (hand: walks.Hand) => Promise<Result>) => {
    await page.goto(home)
    return walk(name, work)
  }
  await fromHome('find what changed before the failures began', (hand) =>
    walks.findChangeBefore(hand, 2, 'METADATA_GET.v1'),
  )
  await fromHome('roll back from Home', (hand) => walks.rollBackFromHome(hand, 1))
  await fromHome('find why a call failed', (hand) => walks.findFailure(hand, 'METADATA_GET.v1', 'the handler failed'))
  await fromHome('see the slowest call of the day as a timeline', walks.findSlowestCall)
  await fromHome('find whether a caller may call an operation', (hand) =>
    walks.findPermission(hand, 'NOPERM', 'KEY_VALUE_GET.v1', /^No/),
  )
  await fromHome('list all callers of an operation', (hand) => walks.listCallers(hand, 'METADATA_GET.v1', 'GUEST'))
  const file = await fromHome('export the failed calls of the last hour', walks.exportFailures)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\r\n')
  if (lines.length !== 31) throw new Error(`the file has ${lines.length} lines`)
  await fromHome('compare with the day before', walks.compareWithDayBefore)
  await fromHome('silence an alert', (hand) => walks.silenceAlert(hand, alert))
}

/** A gateway with the configuration that was registered and the lines that were copied takes a token of the issuer. */
async function callWithToken(
  t: TestContext,
  lines: string,
  issuer: { readonly issuer: string; readonly tokenEndpoint: string },
): Promise<void> {
  const copied = Object.fromEntries(
    lines
      .trim()
      .split('\n')
      .map((line) => line.split(/=(.*)/s).slice(0, 2)),
  )
  const name = String(copied['ig.AuthorizationServer'])
  const metadataUrl = `${issuer.issuer}/.well-known/openid-configuration`
  const { opened } = await openTestAdmin(t, {
    database,
    properties: copied,
    configure: (configuration) => ({
      ...configuration,
      oauth2ServiceApps: [...configuration.oauth2ServiceApps, { name, metadataUrl, issuer: issuer.issuer }],
    }),
  })
  const authorization = `Basic ${Buffer.from('DEMO:demo-secret').toString('base64')}`
  const granted = await fetch(issuer.tokenEndpoint, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  const { access_token: token } = (await granted.json()) as { readonly access_token: string }
  const called = await fetch(`${opened.url}${connector}/METADATA_OAUTH2.v1/`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!(await called.text()).includes('"currentUser":"DEMO"'))
    throw new Error(`the token was refused: ${called.status}`)
}
