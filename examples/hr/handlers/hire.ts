/** EMPLOYEE, POST: hires someone. JSON validated by a schema, rows in two tables, 201 with `Location`, 409 if the id is taken. */
import { Answer, formatTimestamp, type Handler, type HandlerContext, type RequestMessage } from 'integration-gateway'
import { z } from 'zod'
import type { Tables } from '../tables.ts'

export const employee = z.strictObject({
  emplid: z.string().regex(/^\d{6}$/),
  name: z.string().min(1).max(100),
  department: z.string().min(1).max(10),
  email: z.email().optional(),
  hired: z.iso.date(),
  salary: z.string().regex(/^\d{1,10}(\.\d{1,2})?$/),
})

export class EmployeePost implements Handler {
  static requestSchema = employee

  async onRequest(request: RequestMessage, context: HandlerContext<Tables>) {
    const { emplid } = await hire(await request.getJson(employee), context)
    const location = context.broker.getUrl('EMPLOYEE_GET', 'v1', 1, { emplid })
    return new Answer(201, { emplid }, { location })
  }
}

export async function hire(hired: z.infer<typeof employee>, { database, operator, now }: HandlerContext<Tables>) {
  const { emplid, name, department, email, hired: date, salary } = hired
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('EMPLOYEE')
    .values({
      EMPLID: emplid,
      NAME: name,
      DEPTID: department,
      EMAIL: email,
      HIRE_DT: date,
      SALARY: salary,
      ACTIVE: true,
    })
    .onConflict((conflict) => conflict.column('EMPLID').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) throw new Answer(409, { error: `Employee ${emplid} exists already.` })
  const action = { EMPLID: emplid, ACTION: 'HIR', OPRID: operator.id, ACTION_DTTM: formatTimestamp(now()) }
  await database.insertInto('EMPLOYEE_ACTION').values(action).execute()
  return hired
}
