/** A personnel service: ten operations, each a page of the guide (docs/how-to/handlers.md). */
import { defineGateway, defineSampleOperators } from 'integration-gateway'

const json = { contentType: 'application/json' }
const newEmployee = '{"emplid":"100001","name":"Ada","department":"MATH","hired":"2026-01-31","salary":"5200.50"}'
const soapHire =
  '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><Hire xmlns="urn:example:hr" emplid="100002">' +
  '<Name>Eve</Name><Department>ART</Department><Hired>2026-02-01</Hired><Salary>4100</Salary></Hire></Body></Envelope>'
const emplid = { type: 'String', pattern: '[0-9]{6}', description: 'Six digits', examples: ['100001'] } as const

export default defineGateway({
  nodes: [{ name: 'LOCAL_NODE', isDefaultLocal: true }],
  databaseValues: 'portable',

  documents: [
    {
      name: 'EMPLOYEE_DOCUMENT',
      elements: {
        emplid,
        fields: { type: 'String', isCollection: true, values: ['NAME', 'DEPTID', 'EMAIL', 'HIRE_DT'] },
      },
    },
    {
      name: 'EMPLOYEES_DOCUMENT',
      elements: {
        department: { type: 'String', length: 10, isCollection: true },
        after: { ...emplid, description: 'The last employee of the page before' },
        limit: { type: 'Integer', minimum: 1, maximum: 500 },
      },
    },
  ],
  messages: [
    { name: 'EMPLOYEE_PARAMETERS', document: 'EMPLOYEE_DOCUMENT' },
    { name: 'EMPLOYEES_PARAMETERS', document: 'EMPLOYEES_DOCUMENT' },
  ],

  jobs: [{ name: 'CHECK_BADGES', every: '1min', handler: 'handlers/check-badges.ts#CheckBadges' }],

  services: [{ name: 'PERSONNEL', description: 'Employees' }],
  operations: [
    {
      service: 'PERSONNEL',
      name: 'EMPLOYEE',
      method: 'GET',
      description: 'One employee',
      verification: 'Basic',
      uriTemplates: ['{emplid}{?fields*}'],
      documentTemplate: 'EMPLOYEE_PARAMETERS',
      responseMessage: json,
      handler: 'handlers/employee.ts#EmployeeGet',
      deprecated: { since: '2026-11-01', sunset: '2027-11-01', successor: 'EMPLOYEE_GET.v2' },
    },
    {
      service: 'PERSONNEL',
      name: 'EMPLOYEE',
      version: 'v2',
      method: 'GET',
      description: 'One employee, with names as JSON has them; JSON or XML, the salary for payroll only',
      verification: 'Basic',
      uriTemplates: ['{emplid}'],
      documentTemplate: 'EMPLOYEE_PARAMETERS',
      responseMessage: json,
      handler: 'handlers/employee-v2.ts#EmployeeV2',
      responseTypes: ['application/json', 'application/xml'],
    },
    {
      service: 'PERSONNEL',
      name: 'EMPLOYEE',
      method: 'POST',
      description: 'Hires an employee',
      verification: 'Basic',
      requestMessage: { ...json, examples: [newEmployee] },
      responseMessage: json,
      handler: 'handlers/hire.ts#EmployeePost',
    },
    {
      service: 'PERSONNEL',
      name: 'EMPLOYEES',
      method: 'GET',
      description: 'A page of employees, of some departments or all',
      verification: 'Basic',
      uriTemplates: ['{?department*,after,limit}'],
      documentTemplate: 'EMPLOYEES_PARAMETERS',
      responseMessage: json,
      handler: 'handlers/employees.ts#Employees',
    },
    {
      service: 'PERSONNEL',
      name: 'EMPLOYEE_EXPORT',
      method: 'GET',
      description: 'All employees, as JSON or CSV',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/export.ts#Export',
      responseTypes: ['application/json', 'text/csv'],
    },
    {
      service: 'PERSONNEL',
      name: 'PHOTO',
      method: 'GET',
      description: 'The photo of an employee',
      verification: 'Basic',
      uriTemplates: ['{emplid}'],
      documentTemplate: 'EMPLOYEE_PARAMETERS',
      handler: 'handlers/photo.ts#PhotoGet',
    },
    {
      service: 'PERSONNEL',
      name: 'PHOTO',
      method: 'PUT',
      description: 'Stores the photo of an employee',
      verification: 'Basic',
      uriTemplates: ['{emplid}'],
      documentTemplate: 'EMPLOYEE_PARAMETERS',
      requestMessage: { contentType: 'image/png' },
      responseMessage: json,
      bodyLimit: '5MiB',
      handler: 'handlers/photo.ts#PhotoPut',
    },
    {
      service: 'PERSONNEL',
      name: 'HEADCOUNT',
      method: 'GET',
      description: 'Employees by department, as XML with a namespace',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: { contentType: 'application/xml' },
      handler: 'handlers/headcount.ts#Headcount',
    },
    {
      service: 'PERSONNEL',
      name: 'HIRE',
      method: 'POST',
      description: 'Hires an employee by a SOAP-like request',
      verification: 'Basic',
      requestMessage: { contentType: 'text/xml', examples: [soapHire] },
      responseMessage: { contentType: 'text/xml' },
      handler: 'handlers/soap-hire.ts#SoapHire',
    },
    {
      service: 'PERSONNEL',
      name: 'BADGE',
      method: 'GET',
      description: 'The badge of an employee, from the access control system',
      verification: 'Basic',
      uriTemplates: ['{emplid}'],
      documentTemplate: 'EMPLOYEE_PARAMETERS',
      responseMessage: json,
      handler: 'handlers/badge.ts#BadgeGet',
    },
    {
      service: 'PERSONNEL',
      name: 'RATES',
      method: 'GET',
      description: 'Exchange rates, from another service',
      verification: 'Basic',
      uriTemplates: ['/'],
      responseMessage: json,
      handler: 'handlers/rates.ts#RatesGet',
      cacheKeyPolicy: 'perOperator',
    },
    {
      service: 'PERSONNEL',
      name: 'RATES',
      method: 'DELETE',
      description: 'Forgets the rates of the operator',
      verification: 'Basic',
      uriTemplates: ['/'],
      handler: 'handlers/rates.ts#RatesDelete',
    },
  ],

  permissionLists: [
    { name: 'HR_ALL', description: 'All operations', services: ['PERSONNEL'] },
    { name: 'HR_PAYROLL', description: 'Sees salaries', operations: [] },
    { name: 'HR_SELF', description: 'Sees the own row only', operations: ['EMPLOYEE_GET.v2'] },
  ],
})

/** For `ig dev` and tests; `ig start` never uses them. */
export const sampleOperators = defineSampleOperators([
  { ...sample('CLERK'), permissionLists: ['HR_ALL'] },
  { ...sample('PAYROLL'), permissionLists: ['HR_ALL', 'HR_PAYROLL'] },
  { ...sample('ADA'), permissionLists: ['HR_SELF'] },
])

function sample(id: string) {
  const name = id.toLowerCase()
  return { id, password: `${name}-password`, email: `${name}@example.com` }
}
