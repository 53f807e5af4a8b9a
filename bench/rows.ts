/** The table: what is measured, against what, and the floors. */
import { atRate } from './at-rate.ts'
import { type Bulk, measureBulk } from './bulk.ts'
import { measureMixed } from './bulk-mixed.ts'
import { clusterChanges, measureCluster } from './cluster.ts'
import { issuerName } from './issuer.ts'
import { measureKeyedPosts } from './keyed-posts.ts'
import { measureLarge, measureStart } from './large.ts'
import { measureMonitor } from './monitor.ts'
import {
  openBare,
  openBareWith,
  openExpress,
  openFastify,
  openJose,
  openNginx,
  openTomcat,
  openVarnish,
} from './peers.ts'
import { measureReload } from './reload.ts'
import { measureReloadDev } from './reload-dev.ts'
import { basic, bearer, get, gzip } from './requests.ts'
import { spread } from './rounds.ts'
import { measureSmallPosts } from './small-posts.ts'
import { measureStreams, type StreamResult } from './streams.ts'
import { switched } from './switched.ts'
import { type Bench, formatDuel, type Outcome, type Row, type Target, type Versus, versus } from './versus.ts'

const metadata = () => [get('METADATA.v1/')]
const withPassword = () => [get('METADATA_BASIC.v1/', basic)]
const withToken = async ({ tokens }: Bench) => [get('METADATA_OAUTH2.v1/', bearer((await tokens())[0] ?? ''))]
const withNewTokens = async ({ tokens }: Bench) =>
  (await tokens()).map((token) => get('METADATA_OAUTH2.v1/', bearer(token)))
const project = 'bench/project'
const bare = () => openBare

/** What is compared on the wire. */
const pairs = {
  metadata: { requests: metadata, peer: bare },
  basic: { requests: withPassword, peer: bare },
  oauth2: { requests: withToken, peer: bare },
  newToken: { requests: withNewTokens, peer: ({ issuer }) => openJose(issuer.keys, issuerName) },
  cachedBasic: { requests: () => [get('CACHED_TIME.v1/', basic)], peer: bare },
  cachedGzip: { project, requests: () => [get('CACHED_PAGE.v1/', [...basic, ...gzip])], peer: bare },
  cachedNone: { project, requests: () => [get('CACHED_NONE.v1/')], peer: bare },
} satisfies Record<string, Versus>

const photo: Versus = {
  project: 'bench/streams',
  requests: () => [get('PHOTO.v1/')],
  peer: () => openBareWith({ bytes: 5_000_000, text: 'photo' }),
}

const ratio = (bounds: Omit<Target, 'figure'>): readonly Target[] => [{ figure: 'req/s', ...bounds }]

const bulkDatabases = ['SQLite', 'PostgreSQL']

export const rows: readonly Row[] = [
  {
    name: 'METADATA',
    work: 'the whole pipeline, without credentials',
    against: 'bare node:http, same bytes and headers, all constant',
    needs: [],
    targets: ratio({ atLeast: 0.85 }),
    measure: versus(pairs.metadata),
  },
  {
    name: 'METADATA_BASIC:bare',
    work: 'the same with a known password',
    against: 'bare node:http, same bytes and headers, all constant',
    needs: [],
    targets: ratio({ atLeast: 0.85 }),
    measure: versus(pairs.basic),
  },
  {
    name: 'METADATA_BASIC:fastify',
    work: 'the same with a known password',
    against: 'Fastify, the same job by its own plugins',
    needs: ['fastify'],
    targets: ratio({ atLeast: 1.2 }),
    measure: versus({ ...pairs.basic, peer: () => openFastify }),
  },
  {
    name: 'METADATA_BASIC:express',
    work: 'the same with a known password',
    against: 'Express, the same job',
    needs: ['express'],
    targets: ratio({}),
    measure: versus({ ...pairs.basic, peer: () => openExpress }),
  },
  {
    name: 'METADATA_BASIC:tomcat',
    work: 'the same with a known password',
    against: 'a servlet on Tomcat, the same job',
    needs: ['tomcat'],
    targets: ratio({}),
    measure: versus({ ...pairs.basic, peer: () => openTomcat, warmUp: 15 }),
  },
  {
    name: 'METADATA_BASIC:none',
    work: 'a known password',
    against: 'METADATA without credentials',
    needs: [],
    targets: ratio({}),
    measure: versus({ ...pairs.basic, peer: { requests: metadata() } }),
  },
  {
    name: 'METADATA_OAUTH2:none',
    work: 'a known bearer token',
    against: 'METADATA without credentials',
    needs: [],
    targets: ratio({}),
    measure: versus({ ...pairs.oauth2, peer: { requests: metadata() } }),
  },
  {
    name: 'METADATA_OAUTH2:new',
    work: 'a new bearer token every call',
    against: 'jose verifying the same tokens in a bare server',
    needs: ['jose'],
    targets: ratio({ atLeast: 0.7 }),
    measure: versus(pairs.newToken),
  },
  ...cacheRows('CACHED_TIME', 'a cached response, with its Basic check', pairs.cachedBasic),
  ...cacheRows('CACHED_PAGE', 'one of 4 KB with its Basic check, in gzip', pairs.cachedGzip),
  ...cacheRows('CACHED_NONE', 'a cached response, without credentials', pairs.cachedNone, { atLeast: 0.95 }),
  ...Object.entries(pairs).map(
    ([name, pair]): Row => ({
      name: `p99:${name}`,
      work: 'p99 at 70 % of its own peak',
      against: `the ${name === 'newToken' ? 'server of jose' : 'bare server'} at the same rate`,
      needs: ['autocannon', 'wrk'],
      targets: [{ figure: 'p99' }],
      measure: atRate(pair),
    }),
  ),
  costRow('observing-cost', 'monitor and metrics', { IG_MONITOR: 'off', IG_METRICS: 'off' }),
  costRow('monitor-cost', 'the monitor', { IG_MONITOR: 'off' }),
  costRow('metrics-cost', 'metrics', { IG_METRICS: 'off' }),
  {
    name: 'bytes',
    work: 'setContentBytes of 5 MB that are in memory, to 8 clients',
    against: 'bare node:http that ends the same Buffer',
    needs: [],
    targets: ratio({}),
    measure: (bench) => versus(photo)({ ...bench, options: { ...bench.options, connections: 8 } }),
  },
  {
    name: 'stream',
    work: 'a stream of 20,000,000 rows of the database, 2 GB, to one client',
    against: 'the idle process, and the clock',
    needs: [],
    targets: bulkDatabases.flatMap((database) => [
      { figure: `${database} RSS`, unit: 'MB' },
      { figure: `${database} first byte`, unit: 'ms' },
    ]),
    measure: async ({ options }) => reportStreams(await measureStreams(2048, options.rounds)),
  },
  {
    name: 'large',
    work: '10,000 operations of five templates, 100,000 operators, 1,000 permission lists',
    against: 'seven operations',
    needs: [],
    targets: [
      { figure: 'req/s', atLeast: 0.7 },
      { figure: 'start', unit: 's' },
      { figure: 'RSS', unit: 'MB' },
    ],
    measure: measureLarge,
  },
  {
    name: 'start',
    work: 'ig start to the first answer',
    against: 'a Fastify server that opens the same database',
    needs: ['fastify'],
    targets: [
      { figure: 'ratio', atMost: 2 },
      { figure: 'start', unit: 's' },
      { figure: 'processor', unit: 's' },
      { figure: 'checkout', unit: 's' },
    ],
    measure: measureStart,
  },
  {
    name: 'bulk',
    work: 'KEY_VALUE POST of 1,000,000 rows, 100 MB',
    against: 'a bare loop: same parser, same database, one transaction',
    needs: [],
    targets: bulkDatabases.flatMap((database) => [
      { figure: `${database} rows/s`, atLeast: 0.75 },
      { figure: `${database} RSS`, unit: 'MB' },
    ]),
    measure: async ({ options }) => reportBulk(await measureBulk(1_000_000, options.rounds)),
  },
  {
    name: 'bulk-2gb',
    work: 'KEY_VALUE POST of 20,000,000 rows, 2 GB',
    against: 'the process itself',
    needs: [],
    targets: bulkDatabases.map((database) => ({ figure: `${database} RSS`, unit: 'MB' })),
    measure: async () => reportBulk(await measureBulk(20_000_000)),
  },
  {
    name: 'mixed',
    work: 'METADATA at 1,000 calls/s beside a KEY_VALUE POST of 1,000,000 rows',
    against: 'the clock',
    needs: [],
    targets: bulkDatabases.flatMap((database) => [
      { figure: `${database} p99`, unit: 'ms' },
      { figure: `${database} longest`, unit: 'ms' },
      { figure: `${database} failed`, unit: 'calls', atMost: 0 },
    ]),
    async measure() {
      const runs = await measureMixed()
      const figures = runs.flatMap(({ database, during }) => [
        [`${database} p99`, spread([during.p99])],
        [`${database} longest`, spread([during.most])],
        [`${database} failed`, spread([during.failed])],
      ])
      const alone = runs.map(({ database, alone }) => `${database} ${alone.p99.toFixed(1)} ms`)
      return { figures: Object.fromEntries(figures), detail: `p99 alone: ${alone.join(', ')}` }
    },
  },
  {
    name: 'posts',
    work: 'KEY_VALUE POST of ten rows, 64 clients, durable',
    against: 'a raw loop of the same transactions on the same database',
    needs: [],
    targets: [
      { figure: 'SQLite', atLeast: 0.6 },
      { figure: 'PostgreSQL', atLeast: 0.35 },
    ],
    async measure({ options }) {
      const runs = await measureSmallPosts(options.client, options.rounds, options.seconds)
      const figures = runs.map(({ database, gateway, raw }) => [
        database,
        spread(gateway.map((rate, round) => rate / (raw[round] ?? Number.NaN))),
      ])
      const rates = runs.map(({ gateway, raw }) => `${middle(gateway)} and ${middle(raw)} a second`)
      return { figures: Object.fromEntries(figures), detail: rates.join('; ') }
    },
  },
  {
    name: 'keyed-posts',
    work: 'KEY_VALUE POST of ten rows with an Idempotency-Key, 64 clients, durable',
    against: 'the same without a key',
    needs: [],
    targets: bulkDatabases.flatMap((database) => [{ figure: database }, { figure: `${database} CPU` }]),
    async measure({ options }) {
      const runs = await measureKeyedPosts(options)
      const figures = runs.flatMap(({ database, ratio, costRatio }) => [
        [database, ratio],
        ...(costRatio ? [[`${database} CPU`, costRatio] as const] : []),
      ])
      const detail = runs.map((run) => `${run.database} ${formatDuel(run)}`).join('; ')
      return { figures: Object.fromEntries(figures), detail }
    },
  },
  {
    name: 'monitor',
    work: 'a page of 100 of a million monitored transactions, under every subset of the filters',
    against: 'the clock',
    needs: [],
    targets: bulkDatabases.flatMap((database) => [
      { figure: `${database} slowest`, unit: 'ms' },
      { figure: `${database} p99`, unit: 'ms' },
      { figure: `${database} stored/s` },
      { figure: `${database} slice`, unit: 'ms' },
    ]),
    async measure() {
      const runs = await measureMonitor(1_000_000)
      const figures = runs.flatMap(({ database, slowest, p99, appended, slice }) => [
        [`${database} slowest`, spread([slowest])],
        [`${database} p99`, spread([p99])],
        [`${database} stored/s`, spread([appended])],
        [`${database} slice`, spread([slice])],
      ])
      const detail = runs.map(({ pages, median, slowestFilter }) => {
        return `${pages} pages, median ${median.toFixed(1)} ms, slowest ${slowestFilter}`
      })
      return { figures: Object.fromEntries(figures), detail: detail.join('; ') }
    },
  },
  {
    name: 'reload',
    work: 'activations of 10,000 operations while calls stream in',
    against: 'nothing',
    needs: [],
    targets: [
      { figure: 'longest gap', unit: 'ms' },
      { figure: 'ready', unit: 'ms' },
      { figure: 'heap after', unit: 'MB' },
    ],
    async measure({ options }) {
      const { gaps, ready, soak, quietGap } = await measureReload(Math.max(2, options.rounds))
      const heaps = soak.samples.map(({ heap }) => heap)
      const figures = { 'longest gap': spread(gaps), ready: spread(ready), 'heap after': spread(heaps) }
      return { figures, detail: `longest gap without a reload ${quietGap.toFixed(0)} ms` }
    },
  },
  {
    name: 'cluster',
    work: '3 instances of 2 workers on one PostgreSQL: a change until it is in force everywhere',
    against: 'the clock',
    needs: [],
    targets: [
      ...clusterChanges.flatMap((kind) => [
        { figure: `${kind}, p99`, unit: 'ms' },
        { figure: `${kind}, lost`, unit: 'ms' },
      ]),
      { figure: 'runs a crowd', unit: 'runs', atMost: 1 },
      { figure: 'failed', unit: 'calls', atMost: 0 },
    ],
    async measure({ options: { trials } }) {
      const { changes, misses, streamed, proxy, looks } = await measureCluster({ instances: 3, workers: 2, trials })
      const times = changes.flatMap(({ kind, intact, lost }) => [
        [`${kind}, p99`, spread([intact.p99])],
        [`${kind}, lost`, spread([lost.p99])],
      ])
      const figures = Object.fromEntries(times)
      const lost = `${looks.lost} looks lost of ${looks.toLose} to lose`
      const detail = `${trials} trials of either kind, behind ${proxy ?? 'no proxy'}; ${lost}; ${misses.crowds} crowds; ${streamed.answered} calls meanwhile`
      return {
        figures: { ...figures, 'runs a crowd': spread([misses.maxRuns]), failed: spread([streamed.failed]) },
        detail,
      }
    },
  },
  {
    name: 'dev',
    work: 'ig dev: start to the first answer, and saving a handler to its first answer',
    against: 'the clock',
    needs: [],
    targets: [
      { figure: 'start', unit: 'ms' },
      { figure: 'live', unit: 'ms' },
      { figure: 'dropped', unit: 'calls', atMost: 0 },
    ],
    async measure() {
      const { firstAnswer, live, calls, dropped } = await measureReloadDev()
      const figures = { start: spread(firstAnswer), live: spread(live), dropped: spread([dropped]) }
      return { figures, detail: `${live.length} changes, ${calls} calls meanwhile` }
    },
  },
]

function costRow(name: string, what: string, against: Readonly<Record<string, string>>): Row {
  return {
    name,
    work: `METADATA with ${what}, as by default`,
    against: 'the same gateway without',
    needs: [],
    targets: [{ figure: 'req/s' }, { figure: 'CPU' }],
    measure: switched({ requests: metadata, against }),
  }
}

function cacheRows(name: string, work: string, pair: Versus, floor: Omit<Target, 'figure'> = {}): Row[] {
  const cache = (peer: 'nginx' | 'varnish', against: string, open: typeof openNginx): Row => ({
    name: `${name}:${peer}`,
    work,
    against,
    needs: [peer],
    targets: ratio({}),
    measure: versus({ ...pair, peer: () => open }),
  })
  return [
    {
      name,
      work,
      against: 'bare node:http, the stored bytes',
      needs: [],
      targets: ratio(floor),
      measure: versus(pair),
    },
    cache('nginx', 'a hit in the proxy_cache of nginx, one worker; it checks no credential', openNginx),
    cache('varnish', 'a hit in Varnish, one pool; it checks no credential', openVarnish),
  ]
}

function reportStreams(streams: readonly StreamResult[]): Outcome {
  const figures = streams.flatMap(({ database, idle, most, firstBytes }) => [
    [`${database} RSS`, spread([most - idle])],
    [`${database} first byte`, spread(firstBytes)],
  ])
  const detail = streams.map(({ database, bytes, seconds, idle }) => {
    return `${database} idle ${idle.toFixed(0)} MB, ${(bytes / 1e6 / seconds).toFixed(0)} MB/s`
  })
  return { figures: Object.fromEntries(figures), detail: detail.join('; ') }
}

function reportBulk(runs: readonly Bulk[]): Outcome {
  const figures = runs.flatMap(({ database, seconds, bareSeconds, memoryPeak }) => [
    ...(bareSeconds.length > 0
      ? [
          [
            `${database} rows/s`,
            spread(seconds.map((ours, round) => (bareSeconds[round] ?? Number.NaN) / ours)),
          ] as const,
        ]
      : []),
    ...(memoryPeak === undefined ? [] : [[`${database} RSS`, spread([memoryPeak])] as const]),
  ])
  const told = runs.map(({ database, rows, seconds, memoryBefore }) => {
    const perSecond = Math.round(rows / spread(seconds).median / 1000)
    return `${database} ${perSecond}k rows/s, every row stored, ${memoryBefore?.toFixed(0)} MB before`
  })
  return { figures: Object.fromEntries(figures), detail: told.join('; ') }
}

function middle(rates: readonly number[]): string {
  return spread(rates).median.toFixed(0)
}
