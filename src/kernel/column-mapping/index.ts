export { fieldId, physicalName, physicalPartitionColumns } from './physical.ts'
