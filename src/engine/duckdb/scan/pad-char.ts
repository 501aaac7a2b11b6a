/** char(n) is stored as given and read with spaces up to n, at every depth, as the reference does. */
import { physicalName } from '../../../kernel/index.ts'
import { type CharShape, charShape, type DataType, type StructField } from '../../../schema/index.ts'
import { quoteIdent, quoteLiteral } from '../sql-text.ts'
import { type Naming, storedFields } from '../values/sql-type.ts'

/** SQL of a column as it is read; the same SQL where nothing of it is filled up. */
export function padded(sql: string, field: StructField, naming: Naming): string {
  const shape = charShape(field)
  return shape === undefined ? sql : new Padder(naming).pad(sql, field.type, shape)
}

class Padder {
  private readonly naming: Naming
  private variables = 0

  constructor(naming: Naming) {
    this.naming = naming
  }

  pad(sql: string, type: DataType, shape: CharShape): string {
    switch (shape.kind) {
      case 'char':
        return `CASE WHEN length(${sql}) < ${shape.length} THEN rpad(${sql}, ${shape.length}, ' ') ELSE ${sql} END`
      case 'struct':
        return this.padStruct(sql, type as DataType & { kind: 'struct' }, shape)
      case 'array': {
        const x = this.variable()
        const { element } = type as DataType & { kind: 'array' }
        return `list_transform(${sql}, lambda ${x}: ${this.pad(x, element, shape.element)})`
      }
      case 'map': {
        const x = this.variable()
        const { key, value } = type as DataType & { kind: 'map' }
        const part = (name: 'key' | 'value', of: DataType, at: CharShape | undefined) =>
          `"${name}" := ${at === undefined ? `${x}."${name}"` : this.pad(`${x}."${name}"`, of, at)}`
        return (
          `map_from_entries(list_transform(map_entries(${sql}), lambda ${x}: ` +
          `struct_pack(${part('key', key, shape.key)}, ${part('value', value, shape.value)})))`
        )
      }
    }
  }

  private padStruct(
    sql: string,
    type: DataType & { kind: 'struct' },
    { members }: CharShape & { kind: 'struct' },
  ): string {
    const packed = storedFields(type).map((member) => {
      const name = physicalName(member, this.naming)
      const source = `struct_extract(${sql}, ${quoteLiteral(name)})`
      const shape = members.get(type.fields.indexOf(member))
      return `${quoteIdent(name)} := ${shape === undefined ? source : this.pad(source, member.type, shape)}`
    })
    // without the CASE a null struct becomes a struct of nulls
    return `CASE WHEN ${sql} IS NOT NULL THEN struct_pack(${packed.join(', ')}) END`
  }

  private variable(): string {
    return `pad${this.variables++}`
  }
}
