/** An alert: what it means and what to do. The console, the rules for Prometheus and docs/how-to/alerts.md have it from here. */

export interface AlertRow {
  /** What happens, in a few words: "Calls fail". */
  readonly title: string
  readonly severity: Severity
  readonly means: string
  readonly action: string
  /** Conditions of a process (specification 20.11) with which it is active for the instance. */
  readonly conditions?: readonly string[]
  /** Its rule for Prometheus. */
  readonly rule?: AlertRule
}

export interface AlertRule {
  readonly expr: string
  /** How long the expression must hold: `5m`. */
  readonly for?: string
  /** One line, with labels that the expression keeps. */
  readonly summary: string
}

export const severities = ['critical', 'warning', 'info'] as const
export type Severity = (typeof severities)[number]
export type AlertRows = Readonly<Record<string, AlertRow>>
