/** The marks of the charts: activations, starts of instances, and alerts of instances that are outages. */
import type { Mark } from '../chart/marks.ts'

export interface MarkFacts {
  /** The newest first. */
  readonly activations: readonly {
    readonly sequence: number
    readonly revision: number
    readonly time: string
    readonly note: string
  }[]
  readonly instances: readonly { readonly id: string; readonly started: string }[]
  /** Active ones, and those that ended. */
  readonly alerts: readonly {
    readonly id: string
    readonly title: string
    readonly severity: string
    readonly instance: string | null
    readonly began: string
    readonly ended: string | null
  }[]
  /** Epoch milliseconds. */
  readonly now: number
}

export function listMarks({ activations, instances, alerts, now }: MarkFacts): readonly Mark[] {
  return [
    ...activations.map(({ sequence, revision, time, note }, at): Mark => {
      const previous = activations[at + 1]?.revision
      return {
        id: `activation ${sequence}`,
        kind: 'revision',
        from: Date.parse(time),
        title: `Revision ${revision}`,
        revision,
        note,
        isActive: at === 0,
        ...(previous !== undefined && { previous }),
      }
    }),
    ...instances.map(
      ({ id, started }): Mark => ({
        id: `start ${id}`,
        kind: 'restart',
        from: Date.parse(started),
        title: `${id} started`,
      }),
    ),
    ...alerts
      .filter(({ instance, severity }) => instance !== null && severity === 'critical')
      .map(
        ({ id, title, instance, began, ended }): Mark => ({
          id: `${id} ${began}`,
          kind: 'outage',
          from: Date.parse(began),
          to: ended === null ? now : Date.parse(ended),
          title: `${title} (${instance})`,
        }),
      ),
  ]
}
