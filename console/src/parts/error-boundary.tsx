/** A page that fails leaves the others usable; so does one whose file a new version of the gateway no longer has. */
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
          Load the console again
        </Button>
      </Stack>
    )
  }
}
