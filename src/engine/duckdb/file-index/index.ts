export { duckdbFileIndex } from './duckdb-file-index.ts'
