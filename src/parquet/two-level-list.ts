/** How older writers left out a level of a list. Source: Parquet format, "Lists", backward-compatibility rules. */
import type { SchemaNode } from './schema-tree.ts'

/** Whether the repeated node is the element itself, as two-level lists have it, and not a wrapper around it. */
export function isElement(list: SchemaNode, repeated: SchemaNode): boolean {
  return (
    repeated.physical !== undefined ||
    repeated.children.length !== 1 ||
    repeated.name === 'array' ||
    repeated.name === `${list.name}_tuple`
  )
}
