/** The queries that the stand-in has. Replace them with yours: `ig record` and `SQL to JSON` of Query Manager give rows. */

export interface Query {
  /** Of a private query: the operator who alone may run it. */
  readonly owner?: string
  /** By the unique name of a prompt the column that it selects by. */
  readonly prompts: Readonly<Record<string, string>>
  readonly rows: readonly Readonly<Record<string, string | number>>[]
}

const employees = [
  { 'A.EMPLID': '100001', 'A.NAME': 'Ada & Co.', 'B.DEPTID': 'MATH', 'A.GRADE': 7 },
  { 'A.EMPLID': '100002', 'A.NAME': 'Eve <eve@example.com>', 'B.DEPTID': 'ART', 'A.GRADE': 5 },
  { 'A.EMPLID': '100003', 'A.NAME': 'Zoë', 'B.DEPTID': 'MATH', 'A.GRADE': 5 },
]

export const queries: Readonly<Record<string, Query>> = {
  EMPLOYEES: { prompts: { DEPTID: 'B.DEPTID', EMPLID: 'A.EMPLID' }, rows: employees },
  DEPARTMENTS: { prompts: { BIND1: 'DEPTID' }, rows: [{ DEPTID: 'ART' }, { DEPTID: 'MATH' }] },
  MY_LIST: { owner: 'CLERK', prompts: {}, rows: [{ NOTE: 'mine' }] },
}
