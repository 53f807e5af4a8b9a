/** The tables of this project, as its handlers see them: values are alike on SQLite and PostgreSQL (`databaseValues: 'portable'`). */
import type { Generated } from 'integration-gateway'

export interface Tables {
  EMPLOYEE: {
    EMPLID: string
    NAME: string
    DEPTID: string
    EMAIL: string | null
    /** `YYYY-MM-DD` */
    HIRE_DT: string
    /** Exact digits: 5200.5 */
    SALARY: string
    ACTIVE: boolean
    /** The operator whose own row it is. */
    OPRID: string | null
  }
  EMPLOYEE_ACTION: {
    ACTION_NBR: Generated<number>
    EMPLID: string
    ACTION: string
    OPRID: string
    ACTION_DTTM: string
  }
  EMPLOYEE_PHOTO: {
    EMPLID: string
    CONTENT_TYPE: string
    PHOTO: Buffer
    DIGEST: string
  }
}
