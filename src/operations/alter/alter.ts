/**
 * Changes what a table is: one action, planned on the newest version, committed as the next one.
 *
 * An action that is refused, or loses to another commit that changed the same, leaves the table at the version it had.
 * One file an action beside this one says what it makes of the table.
 */
import {
  type PlannedMetadata,
  planFeatures,
  planMetadataChange,
  type Snapshot,
  type Transaction,
} from '../../kernel/index.ts'
import type { AlterCommand, AlterResult } from '../command.ts'
import { beginChange, commitChange } from '../commit.ts'
import type { OperationContext } from '../context.ts'
import type { AlterAction } from './action.ts'
import { planAddColumns } from './add-columns.ts'
import { planChangeColumns } from './change-columns.ts'
import { planClusterBy } from './cluster-by.ts'
import { planAddConstraint, planDropConstraint } from './constraints.ts'
import { planDropColumns } from './drop-columns.ts'
import type { ActionOf, AlterPlan, PlanAction } from './plan.ts'
import { planAddFeature, planUpgradeProtocol } from './protocol.ts'
import { planRenameColumn } from './rename-column.ts'
import { planReplaceColumns } from './replace-columns.ts'
import {
  endMapping,
  namedAsAlter,
  planSetComment,
  planSetProperties,
  planUnsetProperties,
  prepareProperties,
} from './set-properties.ts'
import { planSyncIdentity } from './sync-identity.ts'

const planners: { readonly [K in AlterAction['kind']]: PlanAction<K> } = {
  'add columns': planAddColumns,
  'drop columns': planDropColumns,
  'rename column': planRenameColumn,
  'change columns': planChangeColumns,
  'replace columns': planReplaceColumns,
  'set properties': planSetProperties,
  'unset properties': planUnsetProperties,
  'add constraint': planAddConstraint,
  'drop constraint': planDropConstraint,
  'cluster by': planClusterBy,
  'add feature': planAddFeature,
  'upgrade protocol': planUpgradeProtocol,
  'sync identity': planSyncIdentity,
  'set comment': planSetComment,
}

/**
 * @throws DeltaError what the planner of the action names, `DELTA_TABLE_NOT_FOUND`,
 * `DELTA_UNSUPPORTED_FEATURES_FOR_WRITE`, conflict codes, a `LAKE_STORAGE_…` code
 */
export async function executeAlter(command: AlterCommand, context: OperationContext): Promise<AlterResult> {
  const { action } = command
  const unmapped = await endMapping(action, context)
  if (unmapped?.isAll) return { version: unmapped.version }
  if (action.kind === 'set properties') await prepareProperties(action.properties, context)
  return await context.withSnapshot(undefined, async (snapshot) => {
    beginChange(snapshot, context, { operation: 'ALTER TABLE' })
    try {
      const plan = await planAction(action, snapshot, context)
      if (plan === undefined) return { version: null }
      return { version: await commitChange(transactionOf(plan, snapshot, command, context), context) }
    } catch (error) {
      throw namedAsAlter(error)
    }
  })
}

async function planAction<K extends AlterAction['kind']>(
  action: ActionOf<K>,
  snapshot: Snapshot,
  context: OperationContext,
): Promise<AlterPlan | undefined> {
  const plan = planners[action.kind as K]
  return await plan(action, snapshot, context)
}

function transactionOf(
  plan: AlterPlan,
  snapshot: Snapshot,
  command: AlterCommand,
  context: OperationContext,
): Transaction {
  const { metadata, protocol }: Partial<PlannedMetadata> =
    plan.change === undefined
      ? planFeatures(snapshot, plan.features ?? [], context.location)
      : planMetadataChange(snapshot, plan.change, context.location)
  const { operation, operationParameters: told, tags } = plan
  const { userMetadata } = command
  let transaction = beginChange(snapshot, context, {
    operation,
    operationParameters: typeof told === 'function' ? told(protocol ?? snapshot.protocol) : told,
    ...(tags && { tags }),
    ...(userMetadata !== undefined && { userMetadata }),
  })
  if (metadata !== undefined) transaction = transaction.setMetadata(metadata)
  if (protocol !== undefined) transaction = transaction.setProtocol(protocol)
  for (const domain of plan.domains ?? []) transaction = transaction.setDomain(domain)
  return plan.readsTable ? transaction.readsTable() : transaction
}
