/** The fields inside a type: of a struct its own; elements, keys and values as fields with the names Parquet gives them. */
import { type DataType, field, type StructField } from '../../../schema/index.ts'

export function childrenOf(type: DataType): readonly StructField[] {
  switch (type.kind) {
    case 'struct':
      return type.fields
    case 'array':
      return [field('element', type.element, type.containsNull)]
    case 'map':
      return [field('key', type.key), field('value', type.value, type.valueContainsNull)]
    default:
      return []
  }
}
