export { mayMatch } from './prune-row-group.ts'
export { readSchemas } from './read-schemas.ts'
export { storeFile } from './store-file.ts'
