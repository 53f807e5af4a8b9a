/** Whether a database, as `ig.database` names it, is one of PostgreSQL; otherwise it is an SQLite file. */
export const isPostgres = (database: string) => /^postgres(?:ql)?:/i.test(database)
