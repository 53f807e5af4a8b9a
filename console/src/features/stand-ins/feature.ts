/** Stand-ins: operations that answer with recorded responses. */
export const standIns = {
  handlerFields: { fixture: "The operation answers with the recorded responses in the project's files." },
  states: { standIn: 'Stand-in' },
}
