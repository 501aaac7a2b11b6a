export { parseStatement } from './parse.ts'
export type * from './statement.ts'
