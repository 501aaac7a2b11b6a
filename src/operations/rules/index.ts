export {
  type IdentityColumn,
  identityColumns,
  laterNumber,
  nextNumber,
  withMarks,
  withoutMarks,
} from './identity.ts'
export { type CheckConstraint, checkConstraints, constraintCheck } from './row-checks.ts'
export {
  explicitIdentity,
  type GeneratedColumn,
  planRules,
  type RowRules,
  type RuledTable,
  refuseIdentityUpdate,
  rowRules,
  valueOfDefault,
} from './row-rules.ts'
