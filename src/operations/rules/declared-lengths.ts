/**
 * The lengths of char(n) and varchar(n), as conditions over rows.
 *
 * Such columns are strings whose metadata holds the type as it was declared: at the column of text itself, or, where
 * lengths stand inside a nested type, at the column around it. Lengths are counted in characters.
 *
 * Source: Spark's char and varchar types; the key is `__CHAR_VARCHAR_TYPE_STRING` of a field's metadata
 */
import { deltaError } from '../../errors/index.ts'
import type { Expression } from '../../expressions/index.ts'
import type { DataType, StructField, StructType } from '../../schema/index.ts'
import { callExpression, columnExpression, forAll, integerExpression, orNull } from './build-expression.ts'

const DECLARED = '__CHAR_VARCHAR_TYPE_STRING'

export interface DeclaredLength {
  /** the column or member that carries the declaration */
  readonly path: readonly string[]
  readonly declared: string
  /** true for rows that keep the lengths */
  readonly condition: Expression
}

/**
 * The declarations of a schema that hold a length, in schema order.
 *
 * @throws DeltaError `LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED` for one that does not fit its column
 */
export function declaredLengths(schema: StructType): DeclaredLength[] {
  return schema.fields.flatMap((field) => lengthsBelow(field, []))
}

function lengthsBelow(field: StructField, parent: readonly string[]): DeclaredLength[] {
  const path = [...parent, field.name]
  const declared = field.metadata[DECLARED]
  if (typeof declared !== 'string' && field.type.kind === 'struct') {
    return field.type.fields.flatMap((member) => lengthsBelow(member, path))
  }
  const walk = new LengthWalk(path)
  const condition = walk.ofField(field, path)
  return condition === undefined ? [] : [{ path, declared: walk.declared, condition }]
}

/** The conditions inside of arrays and maps, whose items get a name each. */
class LengthWalk {
  /** the first declaration met */
  declared = ''
  private readonly path: readonly string[]
  private numParams = 0

  constructor(path: readonly string[]) {
    this.path = path
  }

  /** @param value the path of the field's value from a column or a parameter */
  ofField({ type, metadata }: StructField, value: readonly string[]): Expression | undefined {
    const declared = metadata[DECLARED]
    if (typeof declared !== 'string') return this.ofType(type, value)
    if (this.declared === '') this.declared = declared
    return new DeclaredReader(declared, this.path, () => this.param()).conditionOf(type, value)
  }

  private ofType(type: DataType, value: readonly string[]): Expression | undefined {
    const column = columnExpression(value)
    if (type.kind === 'struct') {
      return allOf(type.fields.map((field) => this.ofField(field, [...value, field.name])))
    }
    if (type.kind === 'array') return orNullIf(column, this.ofItems(type.element, column))
    if (type.kind !== 'map') return undefined
    const keys = this.ofItems(type.key, callExpression('map_keys', column))
    return orNullIf(column, allOf([keys, this.ofItems(type.value, callExpression('map_values', column))]))
  }

  private ofItems(type: DataType, items: Expression): Expression | undefined {
    const param = this.param()
    const body = this.ofType(type, [param])
    return body && forAll(items, param, body)
  }

  private param(): string {
    return `item${this.numParams++}`
  }
}

/** Reads a declared type along the type it stands for: names of members are written there without quotes. */
class DeclaredReader {
  private readonly text: string
  private readonly path: readonly string[]
  private readonly param: () => string
  private at = 0

  constructor(text: string, path: readonly string[], param: () => string) {
    this.text = text
    this.path = path
    this.param = param
  }

  conditionOf(type: DataType, value: readonly string[]): Expression | undefined {
    const condition = this.read(type, value)
    if (this.at !== this.text.length) throw this.misfit()
    return condition
  }

  /** @param value the path of the column, member or parameter that has the type */
  private read(type: DataType, value: readonly string[]): Expression | undefined {
    switch (type.kind) {
      case 'struct':
        return this.readStruct(type, value)
      case 'array': {
        this.expect('array<')
        const condition = this.readItems(type.element)
        this.expect('>')
        return orNullIf(columnExpression(value), condition?.(columnExpression(value)))
      }
      case 'map':
        return this.readMap(type, value)
      default:
        return this.readPlain(value)
    }
  }

  private readPlain(value: readonly string[]): Expression | undefined {
    const [, limit] = this.match(/^(?:var)?char\((\d+)\)|^[a-z_]+(?:\([\d, ]*\))?/i)
    if (limit === undefined) return undefined
    const column = columnExpression(value)
    return orNull(column, callExpression('<=', callExpression('length', column), integerExpression(Number(limit))))
  }

  private readStruct({ fields }: StructType, value: readonly string[]): Expression | undefined {
    const members: (Expression | undefined)[] = []
    this.expect('struct<')
    for (const [i, field] of fields.entries()) {
      if (i > 0) this.expect(',')
      this.expect(`${field.name}:`)
      members.push(this.read(field.type, [...value, field.name]))
    }
    this.expect('>')
    return allOf(members)
  }

  private readMap(type: DataType & { kind: 'map' }, value: readonly string[]): Expression | undefined {
    this.expect('map<')
    const keys = this.readItems(type.key)
    this.expect(',')
    const values = this.readItems(type.value)
    this.expect('>')
    const map = columnExpression(value)
    const parts = [keys?.(callExpression('map_keys', map)), values?.(callExpression('map_values', map))]
    return orNullIf(map, allOf(parts))
  }

  /** The condition on all items of an array, which is given later. */
  private readItems(type: DataType): ((array: Expression) => Expression) | undefined {
    const param = this.param()
    const body = this.read(type, [param])
    return body && ((array) => forAll(array, param, body))
  }

  private expect(token: string): void {
    const found = this.text.slice(this.at).trimStart()
    if (!found.toLowerCase().startsWith(token.toLowerCase())) throw this.misfit()
    this.at = this.text.length - found.length + token.length
  }

  private match(pattern: RegExp): RegExpExecArray {
    const found = this.text.slice(this.at).trimStart()
    const match = pattern.exec(found)
    if (match === null) throw this.misfit()
    this.at = this.text.length - found.length + match[0].length
    return match
  }

  private misfit(): Error {
    return deltaError('LAKE_CHAR_VARCHAR_WRITE_UNSUPPORTED', { column: this.path.join('.'), type: this.text })
  }
}

function allOf(conditions: readonly (Expression | undefined)[]): Expression | undefined {
  const parts = conditions.filter((condition) => condition !== undefined)
  return parts.length === 0 ? undefined : parts.reduce((all, one) => callExpression('and', all, one))
}

function orNullIf(value: Expression, condition: Expression | undefined): Expression | undefined {
  return condition && orNull(value, condition)
}
