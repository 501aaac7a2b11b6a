export { type ColumnSql, type CompileOptions, compileExpression } from './compile.ts'
export { expressionError } from './fragment.ts'
