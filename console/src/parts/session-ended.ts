/** Whether the dialog to sign in again is open; dialogs below it must stay open (specification 19.4). */
import { createContext } from 'react'

export const SessionEnded = createContext(false)
