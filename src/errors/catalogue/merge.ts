/** What a MERGE refuses. */
import type { ErrorSpec } from './spec.ts'

export const mergeErrors = {
  DELTA_MERGE_MISSING_WHEN: {
    message: 'a MERGE has no WHEN clause, so that there is nothing to do',
    remedy: 'say what is to happen with rows that match, or that do not',
    sqlState: '42601',
  },
  DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION: {
    message: 'a WHEN MATCHED clause without a condition stands before another one, which could never apply',
    remedy: 'give it a condition, or put it last',
    sqlState: '42601',
  },
  DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION: {
    message: 'a WHEN NOT MATCHED clause without a condition stands before another one, which could never apply',
    remedy: 'give it a condition, or put it last',
    sqlState: '42601',
  },
  DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION: {
    message:
      'a WHEN NOT MATCHED BY SOURCE clause without a condition stands before another one, which could never apply',
    remedy: 'give it a condition, or put it last',
    sqlState: '42601',
  },
  DELTA_MERGE_UNRESOLVED_EXPRESSION: {
    message: 'there is no column {name} for {clause}; the columns in its sight are {columns}',
    sqlState: '42601',
  },
  DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE: {
    message:
      'several rows of the source change the same row of the table, and which of them counts is not said ({count} such rows of the table); {examples}',
    remedy: 'leave one row for each key in the source, or narrow the conditions of the clauses',
    sqlState: '21506',
  },
  DELTA_DUPLICATE_COLUMNS_ON_INSERT: {
    message: 'the column {column} occurs twice in an INSERT clause',
    sqlState: '42701',
  },
  DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION: {
    message: 'the member {column} of a struct cannot be given by itself in {operation}',
    remedy: 'give the whole struct',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_AGGREGATION_NOT_SUPPORTED: {
    message: 'an aggregate in {operation} is not supported: {expression}',
    remedy: 'aggregate in the source of the MERGE',
    sqlState: '42903',
    kind: 'unsupported',
  },
  DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED: {
    message: '{operation} hangs on {expression}, which may give another answer each time',
    remedy: 'compute the value in the source of the MERGE',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE: {
    message: 'the condition {expression}, by which rows match, is {type} and not boolean',
    sqlState: '42K0E',
  },
} as const satisfies Record<string, ErrorSpec>
