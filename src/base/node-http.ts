/**
 * `node:http` without the cost of importing it: an `import` reads every member of a built-in module, and one of them loads
 * a whole HTTP client then.
 */
export const { STATUS_CODES, createServer, get } = process.getBuiltinModule('node:http')
