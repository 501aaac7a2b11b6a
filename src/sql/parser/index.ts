export { parseStatement } from './parse.ts'
export { queriesOf } from './queries-of.ts'
export type * from './statement.ts'
