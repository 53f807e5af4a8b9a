/** What the monitor costs a call: the same gateway with it, as `ig start` has it, and without, in turn on the same core. */
import { get } from './requests.ts'
import { type Contender, duel } from './rounds.ts'
import { startGateway } from './servers.ts'
import { formatDuel, type Row } from './versus.ts'

export const measureMonitorCost: Row['measure'] = async ({ options }) => {
  await using opened = new AsyncDisposableStack()
  const open = async (monitor: 'on' | 'off'): Promise<Contender> => {
    const environment = { IG_MONITOR: monitor }
    const server = await startGateway({ isPinned: true, environment, profile: options.profile })
    opened.defer(server.stop)
    return { server, requests: [get('METADATA.v1/')] }
  }
  const measured = await duel(await open('on'), await open('off'), options)
  return { figures: { 'req/s': measured.ratio }, detail: formatDuel(measured), sides: measured }
}
