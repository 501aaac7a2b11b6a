/** ALTER TABLE REPLACE COLUMNS: the columns in another order, with others among them, of types that hold what is there. */
import { deltaError } from '../../errors/index.ts'
import type { Snapshot } from '../../kernel/index.ts'
import {
  type DataType,
  findField,
  formatType,
  isNested,
  field as newField,
  type StructField,
  type StructType,
  structType,
} from '../../schema/index.ts'
import { columnPathText } from '../values/index.ts'
import type { ColumnPath } from './action.ts'
import { fieldOf } from './add-columns.ts'
import { mayBecome, rememberTypeChange, typeRules } from './change-type.ts'
import { fieldJson, jsonText } from './parameters.ts'
import type { PlanAction } from './plan.ts'

/** @throws DeltaError `DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP` with the first reason, those of `validateSchema` */
export const planReplaceColumns: PlanAction<'replace columns'> = ({ columns }, snapshot) => {
  const wanted = structType(columns.map(fieldOf))
  return {
    operation: 'REPLACE COLUMNS',
    operationParameters: { columns: jsonText(wanted.fields.map(fieldJson)) },
    change: { schema: new Replacement(snapshot).struct(snapshot.schema, wanted, []) },
  }
}

class Replacement {
  private readonly snapshot: Snapshot
  private readonly widens: boolean

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot
    this.widens = typeRules(snapshot.configuration, snapshot.store.location).widens
  }

  struct(before: StructType, wanted: StructType, path: ColumnPath): StructType {
    const known = wanted.fields.map((field) => findField(before, field.name))
    const gone = before.fields.filter((field) => !known.includes(field))
    const added = wanted.fields.filter((_, i) => known[i] === undefined)
    this.refuseGone(gone, added, path)
    return structType(wanted.fields.map((field, i) => this.field(known[i], field, path)))
  }

  private refuseGone(gone: readonly StructField[], added: readonly StructField[], path: ColumnPath): void {
    if (gone.length === 0) return
    const names = gone.map(({ name }) => columnPathText([...path, name])).join(', ')
    if (this.snapshot.layout.columnMapping === 'none') this.refuse(`${names} would be dropped`)
    const others = added.map(({ name }) => columnPathText([...path, name])).join(', ')
    if (others !== '') this.refuse(`${names} would go and ${others} come, which may be meant as a renaming`)
  }

  private field(before: StructField | undefined, wanted: StructField, path: ColumnPath): StructField {
    const at = [...path, wanted.name]
    if (before === undefined) {
      if (!wanted.nullable) this.refuse(`${columnPathText(at)} would be added as NOT NULL`)
      return wanted
    }
    if (before.nullable && !wanted.nullable) this.refuse(`${columnPathText(at)} would become NOT NULL`)
    const type = this.type(before.type, wanted.type, at)
    const change = { column: at, from: before.type, to: wanted.type }
    const { comment: _, ...metadata } = isNested(before.type) ? before.metadata : rememberTypeChange(before, change, [])
    return newField(before.name, type, wanted.nullable, { ...metadata, ...wanted.metadata })
  }

  private type(before: DataType, wanted: DataType, path: ColumnPath): DataType {
    if (before.kind === 'struct' && wanted.kind === 'struct') return this.struct(before, wanted, path)
    if (before.kind === 'array' && wanted.kind === 'array') {
      return { ...wanted, element: this.inner(before.element, wanted.element, [...path, 'element']) }
    }
    if (before.kind === 'map' && wanted.kind === 'map') {
      const key = this.inner(before.key, wanted.key, [...path, 'key'])
      return { ...wanted, key, value: this.inner(before.value, wanted.value, [...path, 'value']) }
    }
    if (mayBecome(before, wanted, this.widens)) return wanted
    return this.refuse(`${columnPathText(path)} would go from ${formatType(before)} to ${formatType(wanted)}`)
  }

  /** What an array or a map holds grows by ALTER COLUMN, which keeps a trace of it. */
  private inner(before: DataType, wanted: DataType, path: ColumnPath): DataType {
    if (isNested(before) || mayBecome(before, wanted, false)) return this.type(before, wanted, path)
    return this.refuse(`${columnPathText(path)} would go from ${formatType(before)} to ${formatType(wanted)}`)
  }

  private refuse(reason: string): never {
    const path = this.snapshot.store.location
    throw deltaError('DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP', { path, reason })
  }
}
