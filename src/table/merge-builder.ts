/** The clauses of a MERGE, one after the other: immutable, nothing happens before `execute`. */
import type {
  Backend,
  ChangeSettings,
  CommandOptions,
  ExpressionInput,
  MergeClause,
  MergeCommand,
  MergeResult,
} from '../operations/index.ts'
import { type ColumnValuesInput, columnValues } from './change.ts'
import { runOptions } from './options.ts'

export interface MergeOptions extends Omit<ChangeSettings, 'transaction'> {
  /** the name of the source in conditions and values */
  readonly sourceAlias?: string
}

export interface MergeUpdate {
  /** pairs for which it is TRUE; all that no clause before took when it is left out */
  readonly condition?: ExpressionInput
  /** new values by column, as SQL: `{ amount: 's.amount', 'address.city': "'Paris'" }` */
  readonly set: ColumnValuesInput
}

export interface MergeInsert {
  /** rows of the source for which it is TRUE; all that no clause before took when it is left out */
  readonly condition?: ExpressionInput
  /** values by column, as SQL over the source; columns that are left out get their default */
  readonly values: ColumnValuesInput
}

export class MergeBuilder {
  private readonly backend: Backend
  private readonly command: MergeCommand

  /** Made by `DeltaTable.merge`. */
  constructor(backend: Backend, command: MergeCommand) {
    this.backend = backend
    this.command = command
  }

  /** Sets columns of rows that match. */
  whenMatchedUpdate({ condition, set }: MergeUpdate): MergeBuilder {
    return this.with({ when: 'matched', action: 'update', set: columnValues(set) }, condition)
  }

  /** Sets every column of rows that match to the source's of the same name. */
  whenMatchedUpdateAll(condition?: ExpressionInput): MergeBuilder {
    return this.with({ when: 'matched', action: 'update', set: '*' }, condition)
  }

  /** Deletes rows that match. */
  whenMatchedDelete(condition?: ExpressionInput): MergeBuilder {
    return this.with({ when: 'matched', action: 'delete' }, condition)
  }

  /** Inserts a row for each of the source that matches nothing. */
  whenNotMatchedInsert({ condition, values }: MergeInsert): MergeBuilder {
    return this.with({ when: 'notMatched', action: 'insert', set: columnValues(values) }, condition)
  }

  /** Inserts the rows of the source that match nothing, every column under its name. */
  whenNotMatchedInsertAll(condition?: ExpressionInput): MergeBuilder {
    return this.with({ when: 'notMatched', action: 'insert', set: '*' }, condition)
  }

  /** Sets columns of rows that no row of the source matches; values are SQL over the table. */
  whenNotMatchedBySourceUpdate({ condition, set }: MergeUpdate): MergeBuilder {
    return this.with({ when: 'notMatchedBySource', action: 'update', set: columnValues(set) }, condition)
  }

  /** Deletes rows that no row of the source matches. */
  whenNotMatchedBySourceDelete(condition?: ExpressionInput): MergeBuilder {
    return this.with({ when: 'notMatchedBySource', action: 'delete' }, condition)
  }

  /** Adds the columns of the source that clauses speak of and the table lacks, at any depth. */
  withSchemaEvolution(): MergeBuilder {
    return new MergeBuilder(this.backend, { ...this.command, withSchemaEvolution: true })
  }

  /**
   * Carries the clauses out, for each row the first that applies; no row, no version.
   *
   * A source that can be read once, such as a stream, is used up.
   *
   * @throws DeltaError `DELTA_MERGE_MISSING_WHEN`, `DELTA_NON_LAST_…_CLAUSE_OMIT_CONDITION`,
   * `DELTA_MERGE_UNRESOLVED_EXPRESSION`, `AMBIGUOUS_REFERENCE`,
   * `DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE`, `DELTA_CONFLICT_SET_COLUMN`,
   * `DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION`, codes of expressions and of the rules a row breaks, conflict codes
   */
  async execute(options: CommandOptions = {}): Promise<MergeResult> {
    return await this.backend.execute(this.command, runOptions(options))
  }

  private with(clause: MergeClause, condition: ExpressionInput | undefined): MergeBuilder {
    const whole = condition === undefined ? clause : { ...clause, condition }
    return new MergeBuilder(this.backend, { ...this.command, clauses: [...this.command.clauses, whole] })
  }
}
