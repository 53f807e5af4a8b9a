/** Whether signing in anew stands above the page: what is below must not close meanwhile (specification 19.4). */
import { createContext } from 'react'

export const SessionOver = createContext(false)
