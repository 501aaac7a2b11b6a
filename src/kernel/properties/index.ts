export { parseIntervalMs } from './interval.ts'
export {
  canonicalKey,
  findProperty,
  type PropertyName,
  type PropertySpec,
  property,
  tableProperties,
  validateProperties,
} from './table-properties.ts'
