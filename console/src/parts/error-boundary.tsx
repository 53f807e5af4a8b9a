/** Keeps other pages usable if one fails, or if its file is gone after an upgrade of the gateway. */
import { Button, Stack } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { ProblemAlert } from './problem-alert.tsx'

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {}

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <Stack align="start">
        <ProblemAlert problem={error} />
        <Button variant="default" onClick={() => location.reload()}>
          Reload the console
        </Button>
      </Stack>
    )
  }
}
