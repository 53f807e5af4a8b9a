/** POST EMPLOYEE.v1: hires someone. JSON validated by a schema, rows in two tables, 201 with `Location`, 409 if the id is taken. */
import type { FastifyInstance } from 'fastify'
import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../examples/hr/tables.ts'
import { base, conflict, permit, timestamp, validate } from './shared.ts'

const employee = z.strictObject({
  emplid: z.string().regex(/^\d{6}$/),
  name: z.string().min(1).max(100),
  department: z.string().min(1).max(10),
  email: z.email().optional(),
  hired: z.iso.date(),
  salary: z.string().regex(/^\d{1,10}(\.\d{1,2})?$/),
})

export function addHire(app: FastifyInstance, database: Kysely<Tables>) {
  app.post('/EMPLOYEE.v1/', { preHandler: permit('EMPLOYEE_POST.v1') }, async (request, reply) => {
    const hired = validate(employee, request.body)
    await database.transaction().execute((transaction) => hire(hired, transaction, request.operator))
    return reply.code(201).header('location', `${base}/EMPLOYEE.v1/${hired.emplid}`).send({ emplid: hired.emplid })
  })
}

async function hire(hired: z.infer<typeof employee>, transaction: Transaction<Tables>, operator: string) {
  const { emplid, name, department, email, hired: date, salary } = hired
  const { numInsertedOrUpdatedRows } = await transaction
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
  if (numInsertedOrUpdatedRows === 0n) throw conflict(`Employee ${emplid} exists already.`)
  const action = { EMPLID: emplid, ACTION: 'HIR', OPRID: operator, ACTION_DTTM: timestamp() }
  await transaction.insertInto('EMPLOYEE_ACTION').values(action).execute()
}
