/** Errors of taking a table feature out of a table. Codes and states are the reference's. */
import type { ErrorSpec } from './spec.ts'

export const dropFeatureErrors = {
  DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY: {
    message: '{feature} is a table property, not a feature',
    remedy: 'unset it with ALTER TABLE … UNSET TBLPROPERTIES',
    sqlState: '42000',
    kind: 'usage',
  },
  DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT: {
    message: 'the table {path} does not have the feature {feature}; it has: {features}',
    sqlState: '55000',
    kind: 'usage',
  },
  DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE: {
    message: 'the feature {feature} cannot be dropped',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE: {
    message: 'this client cannot drop {feature}: {reason}',
    sqlState: '0AKDC',
    kind: 'unsupported',
  },
  DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED: {
    message: '{feature} leaves no trace that readers of old versions need, so no history has to go',
    remedy: 'run the command without TRUNCATE HISTORY',
    sqlState: '42000',
    kind: 'usage',
  },
  DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION: {
    message: 'checkpointProtection is dropped only with TRUNCATE HISTORY',
    remedy: 'run ALTER TABLE … DROP FEATURE checkpointProtection TRUNCATE HISTORY, which deletes history for good',
    sqlState: '55000',
    kind: 'usage',
  },
  DELTA_FEATURE_DROP_DEPENDENT_FEATURE: {
    message: '{feature} is needed by {features}',
    remedy: 'drop those first',
    sqlState: '55000',
    kind: 'usage',
  },
  DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE: {
    message: 'the table {path} still has check constraints',
    remedy: 'drop these first: {constraints}',
    sqlState: '0AKDE',
    kind: 'usage',
  },
  DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING: {
    message: 'these column names need column mapping (space , ; { } ( ) newline tab =): {columns}',
    remedy: 'rename the columns and run the command again',
    sqlState: '42K05',
    kind: 'usage',
  },
  DELTA_FEATURE_DROP_CHECKPOINT_FAILED: {
    message: 'dropping {feature}: no checkpoint could be written after {tries} tries at version {version}: {cause}',
    remedy: 'run the command again',
    sqlState: '22KD0',
    retryable: true,
  },
  DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD: {
    message:
      'partly done: {feature} is off and no longer used, but older versions still use it; {retention} of history must pass',
    remedy: 'run the same command again after {time}',
    sqlState: '22KD0',
  },
  DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST: {
    message: 'versions {first}..{last} still use {feature}; {retention} of history must pass',
    remedy: 'run the same command again after {time}',
    sqlState: '22KD0',
  },
  DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD: {
    message: 'versions before {version} are still kept; {retention} of history must pass',
    remedy: 'run the same command again after {time}',
    sqlState: '22KD0',
  },
  DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL: {
    message: 'another write, at version {version} at the latest, used {feature} again',
    remedy: 'run the command again',
    sqlState: '40000',
    retryable: true,
    kind: 'conflict',
  },
} as const satisfies Record<string, ErrorSpec>
