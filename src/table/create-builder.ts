/** Builders of new tables: immutable, nothing happens before `execute`. */
import { assert, deltaError } from '../errors/index.ts'
import { parseDataType } from '../expressions/index.ts'
import type { Backend, CreateCommand } from '../operations/index.ts'
import { type DataType, field, type StructField, structType } from '../schema/index.ts'
import { DeltaTable } from './delta-table.ts'
import { type Properties, propertyMap, type SchemaInput, schemaOf } from './options.ts'

export interface ColumnOptions {
  /** true when absent */
  readonly nullable?: boolean
  readonly comment?: string
}

interface CreateState {
  readonly location?: string
  readonly fields: readonly StructField[]
  readonly partitionBy: readonly string[]
  readonly properties: ReadonlyMap<string, string>
  readonly name?: string
  readonly description?: string
  readonly ifExists: CreateCommand['ifExists']
}

export class DeltaTableBuilder {
  private readonly backend: Backend
  private readonly state: CreateState

  constructor(backend: Backend, state: CreateState) {
    this.backend = backend
    this.state = state
  }

  location(path: string): DeltaTableBuilder {
    return this.with({ location: path })
  }

  /**
   * @param type as SQL writes it, `DECIMAL(10,2)`, or as data
   * @throws DeltaError `PARSE_SYNTAX_ERROR`, `UNSUPPORTED_DATATYPE`
   */
  addColumn(name: string, type: DataType | string, options: ColumnOptions = {}): DeltaTableBuilder {
    const metadata = options.comment === undefined ? {} : { comment: options.comment }
    const dataType = typeof type === 'string' ? parseDataType(type) : type
    return this.with({ fields: [...this.state.fields, field(name, dataType, options.nullable ?? true, metadata)] })
  }

  /** @param schema as SQL writes it, `id BIGINT NOT NULL, name STRING`, or as data */
  addColumns(schema: SchemaInput): DeltaTableBuilder {
    return this.with({ fields: [...this.state.fields, ...schemaOf(schema).fields] })
  }

  partitionedBy(...columns: string[]): DeltaTableBuilder {
    return this.with({ partitionBy: columns })
  }

  property(key: string, value: string): DeltaTableBuilder {
    return this.with({ properties: new Map([...this.state.properties, [key, value]]) })
  }

  properties(properties: Properties): DeltaTableBuilder {
    return this.with({ properties: new Map([...this.state.properties, ...propertyMap(properties)]) })
  }

  /** The name in the table's metadata. */
  tableName(name: string): DeltaTableBuilder {
    return this.with({ name })
  }

  comment(description: string): DeltaTableBuilder {
    return this.with({ description })
  }

  /** @throws DeltaError `DELTA_TABLE_ALREADY_EXISTS`, `LAKE_USAGE` without a location */
  async execute(): Promise<DeltaTable> {
    const { location, fields, partitionBy, properties, name, description, ifExists } = this.state
    if (location === undefined) {
      throw deltaError('LAKE_USAGE', {
        problem: 'the new table has no location',
        advice: 'call location(path) before execute()',
      })
    }
    const table = { location }
    const result = await this.backend.execute({
      kind: 'create',
      table,
      schema: structType(fields),
      partitionBy,
      properties,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ifExists,
    })
    assert(result.created || ifExists === 'ignore', 'a table that was not made was there and was to be left')
    return new DeltaTable(this.backend, table)
  }

  private with(change: Partial<CreateState>): DeltaTableBuilder {
    return new DeltaTableBuilder(this.backend, { ...this.state, ...change })
  }
}

export function createBuilder(backend: Backend, ifExists: CreateCommand['ifExists']): DeltaTableBuilder {
  return new DeltaTableBuilder(backend, { fields: [], partitionBy: [], properties: new Map(), ifExists })
}
