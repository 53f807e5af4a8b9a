/** Adds and removes second factors. Each dialog asks for the password: an open session is not enough (specification 34.20). */
import { Code, PasswordInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { encode } from 'uqr'
import { Problem } from '../../api/client.ts'
import {
  type SecondFactor,
  useAddPasskey,
  useAddTotp,
  useBeginTotp,
  useRemoveSecondFactor,
  useReplaceRecoveryCodes,
} from '../../api/second-factors.ts'
import { Dialog } from '../../parts/confirm.tsx'
import { findError } from '../../parts/find-error.ts'

interface Props {
  onClose(): void
  /** @param recoveryCodes to show */
  onDone(recoveryCodes?: readonly string[]): void
}

export function AddTotp({ onClose, onDone }: Props) {
  const [password, setPassword] = useState('')
  const [name, setName] = useState('Phone')
  const [code, setCode] = useState('')
  const begin = useBeginTotp()
  const add = useAddTotp()
  const save = () => add.mutate({ name, code }, { onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes) })
  return (
    <Dialog
      title="Add authenticator app"
      isOpen
      action={begin.data ? 'Add' : 'Continue'}
      isPending={begin.isPending || add.isPending}
      error={add.error ?? begin.error}
      onClose={onClose}
      onConfirm={() => (begin.data ? save() : begin.mutate(password))}
    >
      {begin.data ? (
        <>
          <Text size="sm">Scan the code with the app, or enter the key. Then enter the six digits that it shows.</Text>
          <QrCode text={begin.data.uri} />
          <Code block className="text" aria-label="Key">
            {begin.data.secret.replace(/.{4}(?=.)/g, '$& ')}
          </Code>
          <TextInput
            key="code" // another field than the password
            label="Code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            withAsterisk={false}
          />
        </>
      ) : (
        <>
          <Name value={name} error={add.error} onChange={setName} />
          <Password value={password} onChange={setPassword} />
        </>
      )}
    </Dialog>
  )
}

/** A QR code, dark on light in both colour schemes, as scanners need it. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 3 })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width={220} height={220} role="img" aria-label="QR code of the key">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

export function AddPasskey({ onClose, onDone }: Props) {
  const [password, setPassword] = useState('')
  const [name, setName] = useState('Passkey')
  const { mutate, isPending, error } = useAddPasskey()
  return (
    <Dialog
      title="Add passkey"
      isOpen
      action="Add"
      isPending={isPending}
      error={explain(error)}
      onClose={onClose}
      onConfirm={() => mutate({ password, name }, { onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes) })}
    >
      <Name value={name} error={error} onChange={setName} />
      <Password value={password} onChange={setPassword} />
    </Dialog>
  )
}

export function RemoveFactor({ factor, onClose, onDone }: Props & { readonly factor: SecondFactor }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useRemoveSecondFactor(factor.id)
  return (
    <Dialog
      title={`Remove ${factor.name}?`}
      isOpen
      action="Remove"
      isDangerous
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => mutate(password, { onSuccess: () => onDone() })}
    >
      <Text size="sm">
        This ends all your other sessions. Without a second factor, your recovery codes become invalid too.
      </Text>
      <Password value={password} onChange={setPassword} />
    </Dialog>
  )
}

export function ReplaceCodes({ onClose, onDone }: Props) {
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useReplaceRecoveryCodes()
  return (
    <Dialog
      title="New recovery codes"
      isOpen
      action="Replace"
      isPending={isPending}
      error={error}
      onClose={onClose}
      onConfirm={() => mutate(password, { onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes) })}
    >
      <Text size="sm">Your current codes become invalid.</Text>
      <Password value={password} onChange={setPassword} />
    </Dialog>
  )
}

/** The browser's own errors: the person dismissed its dialog, or the device has this passkey already. */
function explain(error: Error | null): Error | null {
  if (!error || error instanceof Problem) return error
  return new Problem({ code: 'unexpected', title: 'The passkey was not added', detail: error.message })
}

interface NameProps {
  readonly value: string
  readonly error: Error | null
  onChange(name: string): void
}

function Name({ value, error, onChange }: NameProps) {
  return (
    <TextInput
      label="Name"
      description="To identify it in the list"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={findError(error, 'name')}
      autoComplete="off"
      maxLength={60}
      required
      withAsterisk={false}
    />
  )
}

function Password({ value, onChange }: { readonly value: string; onChange(password: string): void }) {
  return (
    <PasswordInput
      label="Your password"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      autoComplete="current-password"
      required
      withAsterisk={false}
      data-autofocus
    />
  )
}
