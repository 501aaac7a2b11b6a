export { Lake, type SqlOptions, SqlRows } from './lake.ts'
export { type SqlResult, SqlSession, type SqlSessionOptions } from './session.ts'
export { splitStatements } from './split.ts'
export { type RewrittenSelect, rewriteTables, type TableRef, type TableTime } from './table-refs.ts'
