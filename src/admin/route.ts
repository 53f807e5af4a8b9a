/** An action of administration itself, which reaches its parts (specification 18.13). */
import type { Action, Input as ActionInput, Nothing, Shape } from '../actions/action.ts'
import type { AdminParts } from './parts.ts'

export type Route = Action<Shape, Shape, Shape, Shape, AdminParts>

export type Input<Params, Query, Body> = ActionInput<Params, Query, Body, AdminParts>

/** Infers the types of a route. */
export function route<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends Shape = Nothing,
  A extends Shape = Nothing,
>(definition: Action<P, Q, B, A, AdminParts>): Route {
  return definition as unknown as Route
}
