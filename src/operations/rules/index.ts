export { callExpression, columnExpression, longExpression } from './build-expression.ts'
export { atTime } from './column-values.ts'
export { type RuledFiller, recordFiller } from './fill-rows.ts'
export {
  type IdentityColumn,
  identityColumns,
  identityNumber,
  nextNumber,
} from './identity.ts'
export {
  differInMarksOnly,
  NO_NUMBERS,
  type NumbersTaken,
  numbersOfPlan,
  shifted,
  shiftOf,
  takeNumbers,
} from './numbers-taken.ts'
export { type CheckConstraint, checkConstraints, shownCheck } from './row-checks.ts'
export {
  explicitIdentity,
  fillableColumns,
  type GeneratedColumn,
  planRules,
  type RowRules,
  type RuledTable,
  refuseExplicit,
  refuseIdentityUpdate,
  rowRules,
  valueOfDefault,
} from './row-rules.ts'
