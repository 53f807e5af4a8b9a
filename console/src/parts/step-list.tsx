/**
 * What each step of a call decided, in the words of `ig explain` (specification 15.3); with a timeline also when it ran,
 * and below the handler what that waited for (specification 21.17).
 */
import { Badge, Table, Text } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import { type Step, steps } from '../../../src/model/step.ts'
import type { Schemas } from '../api/client.ts'
import { good } from '../theme.ts'
import { showDuration } from './show-value.tsx'

type Decision = Schemas['Tried']['decisions'][number]
interface Span {
  readonly from: number
  readonly until: number
}
interface Wait extends Span {
  readonly kind: string
  readonly summary: string
  readonly failure: string | null
}
/** When steps ran, in milliseconds; the schema has it only with the monitor. */
interface Timeline {
  readonly steps: readonly (Span & { readonly step: Step })[]
  readonly waits: readonly Wait[]
}

const colours: Readonly<Record<Decision['outcome'], string | undefined>> = {
  passed: good,
  'would pass': 'served',
  refused: 'refused',
  'would refuse': 'served',
  failed: 'failed',
  'not reached': undefined,
  'not run': undefined,
}

const barColours: Readonly<Partial<Record<Decision['outcome'], string>>> = { refused: '--refused', failed: '--failed' }

interface Props {
  readonly decisions: readonly Decision[]
  readonly timeline?: Timeline | null
}

export function StepList({ decisions, timeline = null }: Props) {
  const spans = new Map(timeline?.steps.map(({ step, ...span }) => [step, span]))
  const rows = withQuietSteps(decisions, timeline)
  const total = Math.max(...[...spans.values(), ...(timeline?.waits ?? [])].map(({ until }) => until), Number.MIN_VALUE)
  return (
    <div className="wide">
      <Table className={timeline ? 'stacked timed' : 'stacked'} aria-label="Steps">
        {timeline && (
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Step</Table.Th>
              <Table.Th scope="col">Outcome</Table.Th>
              <Table.Th scope="col">Decision</Table.Th>
              <Table.Th scope="col" aria-label="Time">
                <div className="axis">
                  <span>0</span>
                  <span>{showDuration(total / 2)}</span>
                  <span>{showDuration(total)}</span>
                </div>
              </Table.Th>
              <Table.Th scope="col" className="number">
                Duration
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>
          {rows.flatMap((decision) => [
            <StepRow
              key={decision.step}
              decision={decision}
              isQuiet={timeline !== null && decision.outcome === 'passed' && !lasts(spans.get(decision.step as Step))}
            >
              {timeline && (
                <SpanCells
                  span={spans.get(decision.step as Step)}
                  total={total}
                  colour={barColours[decision.outcome]}
                />
              )}
            </StepRow>,
            ...(decision.step === 'handler' ? (timeline?.waits ?? []) : []).map((wait, at) => (
              <WaitRow key={`wait ${at}`} wait={wait} total={total} />
            )),
          ])}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** Adds the steps that ran and decided nothing, in their order. */
function withQuietSteps(decisions: readonly Decision[], timeline: Timeline | null): readonly Decision[] {
  const rankOf = (step: Decision['step']) => steps.indexOf(step as Step)
  const rows = [...decisions]
  for (const { step } of timeline?.steps ?? []) {
    if (rows.some((row) => row.step === step)) continue
    const next = rows.findIndex((row) => rankOf(row.step) > rankOf(step))
    rows.splice(next < 0 ? rows.length : next, 0, { step, outcome: 'passed', text: '' })
  }
  return rows
}

interface StepRowProps {
  readonly decision: Decision
  readonly isQuiet: boolean
  readonly children: ReactNode
}

function StepRow({ decision: { step, outcome, refusal, text, details = [] }, isQuiet, children }: StepRowProps) {
  const colour = isQuiet ? undefined : colours[outcome]
  return (
    <Table.Tr c={colour === undefined ? 'dimmed' : undefined}>
      <Table.Th scope="row">{step}</Table.Th>
      <Table.Td>{colour === undefined ? outcome : <Badge color={colour}>{outcome}</Badge>}</Table.Td>
      <Table.Td>
        {refusal !== undefined && <b>{refusal}: </b>}
        <span className="text">{text}</span>
        {details.map((detail) => (
          <Text key={detail} size="xs" c="dimmed" className="mono">
            {detail}
          </Text>
        ))}
      </Table.Td>
      {children}
    </Table.Tr>
  )
}

function WaitRow({
  wait: { kind, summary, failure, ...span },
  total,
}: {
  readonly wait: Wait
  readonly total: number
}) {
  return (
    <Table.Tr className="wait">
      <Table.Th scope="row">{kind}</Table.Th>
      <Table.Td>{failure !== null && <Badge color="failed">failed</Badge>}</Table.Td>
      <Table.Td>
        {failure !== null && <b>{failure}: </b>}
        <span className="mono">{summary}</span>
      </Table.Td>
      <SpanCells span={span} total={total} colour={failure === null ? '--series-2' : '--failed'} />
    </Table.Tr>
  )
}

interface SpanProps {
  readonly span: Span | undefined
  /** The end of the last one, in milliseconds. */
  readonly total: number
  readonly colour?: string | undefined
}

const lasts = (span: Span | undefined): span is Span => span !== undefined && span.from !== span.until

function SpanCells({ span, total, colour = '--series-1' }: SpanProps) {
  if (!lasts(span))
    return (
      <>
        <Table.Td />
        <Table.Td className="number">{span && '–'}</Table.Td>
      </>
    )
  const { from, until } = span
  const style = { '--from': from / total, '--length': (until - from) / total, background: `var(${colour})` }
  return (
    <>
      <Table.Td title={`${showDuration(from)} to ${showDuration(until)}`}>
        <div className="span">
          <div className="bar" style={style as CSSProperties} />
        </div>
      </Table.Td>
      <Table.Td className="number">{showDuration(until - from)}</Table.Td>
    </>
  )
}
