export { type MovedRows, movedRows, movedRowsTags } from './moved-rows.ts'
export { ROW_TRACKING_DOMAIN, rowIdHighWaterMark } from './row-ids.ts'
