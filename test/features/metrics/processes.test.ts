/** What several workers count is one (specification 20.2, 20.6). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCluster } from '../../support/cluster.ts'
import { findDatabase } from '../../support/databases.ts'
import { poll } from '../../support/poll.ts'
import { parseScrape, sumOf } from '../../support/scrape.ts'

async function scrape(url: string) {
  const response = await fetch(url)
  assert.equal(response.status, 200)
  return parseScrape(await response.text())
}

/** Until what the workers tell each second has come. */
async function scrapeUntil(url: string, isThere: (scraped: Awaited<ReturnType<typeof scrape>>) => boolean) {
  let scraped = await scrape(url)
  await poll(async () => isThere((scraped = await scrape(url))))
  return scraped
}

test('20.2, 20.6 with two workers a scrape has the calls of both, including those of dead workers and of a dead administration process', async (t) => {
  const { start } = await openCluster(t, findDatabase('SQLite'))
  const instance = await start(['--workers', '2'], { IG_METRICS_PORT: '0' })
  const [, url = ''] = await instance.until(/metrics at (http:\S+?\/metrics)/)
  const call = async (line: string) => {
    assert.equal((await instance.call(line)).status, 200)
  }
  const pids = await instance.pids(2)
  const counted = (scraped: Awaited<ReturnType<typeof scrape>>) => sumOf(scraped, 'ig_requests_total')
  await scrapeUntil(url, (scraped) => sumOf(scraped, 'ig_workers') === 2 && counted(scraped) >= 2)
  for (let times = 0; times < 20; times += 1) await call('POST NOTE.v1')
  await call('GET CACHED.v1')
  await call('GET CACHED.v1')
  const of = (scraped: Awaited<ReturnType<typeof scrape>>, labels: Record<string, string>) =>
    sumOf(scraped, 'ig_requests_total', labels)
  const both = await scrapeUntil(url, (scraped) => of(scraped, { operation: 'CACHED_GET.v1' }) === 2)
  assert.equal(
    of(await scrapeUntil(url, (scraped) => of(scraped, { operation: 'NOTE_POST.v1' }) >= 20), {
      operation: 'NOTE_POST.v1',
    }),
    20,
  )
  assert.deepEqual(
    [...new Set(both.get('process_resident_memory_bytes')?.samples.map(({ labels }) => labels.worker))].sort(),
    ['0', '1', '2', 'supervisor'],
  )
  assert.equal(sumOf(both, 'ig_workers_configured'), 2)

  process.kill(Number(pids[0]), 'SIGKILL')
  await scrapeUntil(url, (scraped) => sumOf(scraped, 'ig_events_total', { event: 'workerDied' }) === 1)
  assert.equal(of(await scrape(url), { operation: 'NOTE_POST.v1' }), 20)
  assert.equal((await instance.pids(2)).length, 2)

  const [, administration = ''] = await instance.until(/"event":"started","worker":0,"pid":(\d+)/)
  process.kill(Number(administration), 'SIGKILL')
  await instance.until(/Administration \(process \d+\) ended by SIGKILL[\s\S]*"event":"started","worker":0/)
  const heir = await scrapeUntil(url, (scraped) => sumOf(scraped, 'ig_events_total', { event: 'workerDied' }) === 2)
  assert.equal(of(heir, { operation: 'NOTE_POST.v1' }), 20)
  assert.equal((await instance.stop()).code, 0)
})
