/** Bodies and queries of actions are closed: a member that the schema does not have is refused (specification 18.18). */
import { z } from 'zod'
import { explainUnknown } from '../configuration/schema.ts'
import { named } from './schemas.ts'

const stricts = new WeakMap<z.ZodType, z.ZodType>()
const nothing = z.strictObject({}, { error: explainUnknown([]) })

/** @param schema none: nothing may be sent */
export function strict(schema: z.ZodType = nothing): z.ZodType {
  if (!(schema instanceof z.ZodObject) || schema.def.catchall) return schema
  const made = stricts.get(schema) ?? close(schema)
  stricts.set(schema, made)
  return made
}

function close(schema: z.ZodObject): z.ZodType {
  const made = schema.clone({ ...schema.def, catchall: z.never(), error: explainUnknown(Object.keys(schema.shape)) })
  const component = named.get(schema)
  if (component) named.add(made, component)
  return made
}
