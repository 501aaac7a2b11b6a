export type { DuckDbOptions } from './instance.ts'
export { DuckDatabase, DuckSession, type QueryOptions } from './instance.ts'
export { escapeGlob, pathList, quoteIdent, quoteLiteral } from './sql-text.ts'
