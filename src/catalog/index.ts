export { openLocation } from './open-location.ts'
