/** The tasks of an administrator in the console, by counted clicks of a real browser. */
import type { TestContext } from 'node:test'
import { openSampleIssuer } from '../../src/serve/development/sample-issuer.ts'
import { writeYesterday } from '../features/metrics/yesterday.ts'
import { openTestAdmin } from '../support/admin.ts'
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
    return {
      async trial() {
        await using stack = new AsyncDisposableStack()
        return await walkAll(
          { after: (work: () => unknown) => stack.defer(async () => void (await work())) } as TestContext,
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
  const { admin, opened } = await openTestAdmin(t, { database, properties })
  await writeYesterday(opened.gateway.store.databases)
  const wrong = `Basic ${Buffer.from('DEMO:wrong').toString('base64')}`
  await fetch(`${opened.url}${connector}/KEY_VALUE.v1/a`, { headers: { authorization: wrong } })
  const { page } = await openPage(browser)
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
  return tally
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
