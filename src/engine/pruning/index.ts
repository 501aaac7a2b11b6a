export { mayMatch } from './prune-row-group.ts'
export { type ReadFooter, readFooter } from './read-footer.ts'
export { readSchemas } from './read-schemas.ts'
export { storeFile } from './store-file.ts'
