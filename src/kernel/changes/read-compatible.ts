/** Whether files written under one schema can be read by another without saying anything false. */
import { type DataType, deltaTypeName, findField, type StructField, type StructType } from '../../schema/index.ts'
import { physicalName, physicalPartitionColumns } from '../column-mapping/index.ts'
import { isWidening } from '../features/index.ts'
import type { TableLayout } from '../snapshot/layout.ts'

/**
 * Why rows of one shape of a table cannot be read in another shape of it; undefined where they can.
 *
 * Columns may be added and types may be widened. Where columns are mapped they may be neither renamed nor dropped: rows
 * from before would come under names that the table did not have, or lose values. Without mapping a column that is gone is
 * left out, as the files' other columns are.
 */
export function unreadableReason(written: TableLayout, by: TableLayout): string | undefined {
  const [old, now] = [physicalPartitionColumns(written), physicalPartitionColumns(by)]
  if (old.join('\u0000') !== now.join('\u0000')) return `it is partitioned by ${now.join(', ') || 'nothing'}`
  if (by.columnMapping === 'id' && written.columnMapping !== 'id') return 'columns are found by id'
  return new Comparison(written, by).struct(written.schema, by.schema, '')
}

class Comparison {
  private readonly written: TableLayout
  private readonly by: TableLayout

  constructor(written: TableLayout, by: TableLayout) {
    this.written = written
    this.by = by
  }

  struct(old: StructType, now: StructType, path: string): string | undefined {
    for (const field of old.fields) {
      const reason = this.field(field, now, `${path}${field.name}`)
      if (reason !== undefined) return reason
    }
    return undefined
  }

  private field(old: StructField, now: StructType, path: string): string | undefined {
    const mapped = this.written.columnMapping !== 'none' || this.by.columnMapping !== 'none'
    const name = physicalName(old, this.written)
    const found = mapped
      ? now.fields.find((candidate) => physicalName(candidate, this.by) === name)
      : findField(now, old.name)
    if (found === undefined) return mapped ? this.lost(old, now, path) : undefined
    if (mapped && found.name !== old.name) return `the column ${path} was renamed to ${found.name}`
    return this.type(old.type, found.type, path)
  }

  private lost(old: StructField, now: StructType, path: string): string {
    const renamed = now.fields.some((candidate) => candidate.name === old.name)
    return renamed ? `files hold the column ${path} under another name` : `the column ${path} was dropped`
  }

  private type(old: DataType, now: DataType, path: string): string | undefined {
    if (old.kind === 'void') return undefined
    if (old.kind === 'struct' && now.kind === 'struct') return this.struct(old, now, `${path}.`)
    if (old.kind === 'array' && now.kind === 'array') return this.type(old.element, now.element, `${path}.element`)
    if (old.kind === 'map' && now.kind === 'map') {
      return this.type(old.key, now.key, `${path}.key`) ?? this.type(old.value, now.value, `${path}.value`)
    }
    const [from, to] = [deltaTypeName(old), deltaTypeName(now)]
    if (from === to || isWidening(from, to)) return undefined
    return `the column ${path} was changed from ${from} to ${to}`
  }
}
