/** What an action makes of a table: the one commit that follows from it. */
import type { DomainMetadata, MetadataChange, Protocol, Snapshot } from '../../kernel/index.ts'
import type { JsonObject } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { AlterAction } from './action.ts'

export interface AlterPlan {
  /** under the reference's name */
  readonly operation: string
  /** told of the protocol the table then has, where they speak of it */
  readonly operationParameters: JsonObject | ((protocol: Protocol) => JsonObject)
  readonly tags?: JsonObject
  /** of schema, properties and, by them, protocol; absent where the metadata stays as it is */
  readonly change?: MetadataChange
  /** features to be listed where the metadata stays as it is */
  readonly features?: readonly string[]
  readonly domains?: readonly DomainMetadata[]
  /** whether every row was looked at, so that rows which came meanwhile are a conflict */
  readonly readsTable?: boolean
}

/** The action of one kind. */
export type ActionOf<K extends AlterAction['kind']> = Extract<AlterAction, { readonly kind: K }>

/** @returns undefined where the table is that way already and no version is to be made */
export type PlanAction<K extends AlterAction['kind']> = (
  action: ActionOf<K>,
  snapshot: Snapshot,
  context: OperationContext,
) => AlterPlan | undefined | Promise<AlterPlan | undefined>
