export { CHANGE_TYPE, type ChangeType, COMMIT_TIMESTAMP, COMMIT_VERSION } from './change-columns.ts'
export { type ChangeBound, type ChangePlan, type ChangeRange, type ChangeScan, planChanges } from './plan-changes.ts'
