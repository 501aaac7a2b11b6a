export { mayMatch } from './prune-row-group.ts'
