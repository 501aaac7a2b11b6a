/** char(n) is stored as given and read with spaces up to n code points, at every depth, as the reference does. */
import { type CharShape, charShape, type MapEntry, type StructField, type Value } from '../../schema/index.ts'

/** @returns undefined where nothing of the column is filled up */
export function charPadding(field: StructField): ((value: Value) => Value) | undefined {
  const shape = charShape(field)
  return shape && ((value) => pad(value, shape))
}

function pad(value: Value, shape: CharShape): Value {
  if (value === null) return null
  switch (shape.kind) {
    case 'char': {
      const text = value as string
      return text + ' '.repeat(Math.max(0, shape.length - [...text].length))
    }
    case 'struct':
      return (value as readonly Value[]).map((member, i) => padWith(member, shape.members.get(i)))
    case 'array':
      return (value as readonly Value[]).map((element) => pad(element, shape.element))
    case 'map':
      return (value as readonly MapEntry[]).map((entry) => ({
        key: padWith(entry.key, shape.key),
        value: padWith(entry.value, shape.value),
      }))
  }
}

function padWith(value: Value, shape: CharShape | undefined): Value {
  return shape === undefined ? value : pad(value, shape)
}
