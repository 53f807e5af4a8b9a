/** GET EMPLOYEE.v1: one employee as JSON, 404 if there is none, and only the fields that the URL names. */
import type { FastifyInstance } from 'fastify'
import type { Kysely } from 'kysely'
import type { Tables } from '../../examples/hr/tables.ts'
import { type EmployeeRoute, employeeSchema, permit } from './shared.ts'

export function addEmployee(app: FastifyInstance, database: Kysely<Tables>) {
  const options = { schema: employeeSchema, preHandler: permit('EMPLOYEE_GET.v1') }
  app.get<EmployeeRoute>('/EMPLOYEE.v1/:emplid', options, async (request, reply) => {
    const { fields = ['NAME', 'DEPTID', 'EMAIL', 'HIRE_DT'] } = request.query
    const employee = await database
      .selectFrom('EMPLOYEE')
      .select(['EMPLID', ...fields])
      .where('EMPLID', '=', request.params.emplid)
      .executeTakeFirst()
    if (!employee) return reply.code(404).send({ error: `There is no employee ${request.params.emplid}.` })
    return employee
  })
}
