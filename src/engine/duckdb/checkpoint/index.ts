export { readCheckpoint } from './read-checkpoint.ts'
export { writeCheckpoint } from './write-checkpoint.ts'
