/**
 * Leaves out of rows: definition and repetition levels of nested values.
 *
 * The inverse of `assemble.ts`, over rows as arrays, so that no column name is ever a key of an object.
 * Source: Parquet format, "Nested Encoding".
 */
import { assert } from '../errors/index.ts'
import type { MapEntry, Row, Value, Variant } from '../schema/index.ts'
import type { Decimal } from '../support/index.ts'
import type { SchemaElement, WriteNode } from './write-schema.ts'

/** What hyparquet-writer takes for a value: unscaled decimals, text, bytes, numbers. */
export type LeafValue = boolean | number | bigint | string | Uint8Array | null

/** The entries of one leaf. `values` has one an entry, null where it is not defined to the full. */
export interface ShreddedLeaf {
  readonly path: readonly SchemaElement[]
  readonly maxDefinition: number
  readonly values: LeafValue[]
  readonly definitions: number[]
  readonly repetitions: number[]
}

interface Emitter {
  /** @param definition the level of the parent, which is there */
  emit(value: Value, definition: number, repetition: number): void
  emitAbsent(definition: number, repetition: number): void
}

/**
 * Shreds a column's values.
 *
 * @throws DeltaError `LAKE_INTERNAL` when a required value (a map's key) is null
 */
export function shredColumn(node: WriteNode, values: readonly Value[]): ShreddedLeaf[] {
  const leaves: ShreddedLeaf[] = []
  const emitter = emitterFor(node, leaves)
  for (const value of values) emitter.emit(value, 0, 0)
  return leaves
}

function emitterFor(node: WriteNode, leaves: ShreddedLeaf[]): Emitter {
  switch (node.type.kind) {
    case 'struct':
      return structEmitter(node, leaves, (value) => value as Row)
    case 'variant':
      return structEmitter(node, leaves, (value) => [(value as Variant).value, (value as Variant).metadata])
    case 'array':
      return listEmitter(node, leaves)
    case 'map':
      return mapEmitter(node, leaves)
    default:
      return leafEmitter(node, leaves)
  }
}

function countRepetition(path: readonly SchemaElement[], which: (element: SchemaElement) => boolean): number {
  return path.filter(which).length
}

function leafEmitter(node: WriteNode, leaves: ShreddedLeaf[]): Emitter {
  const maxDefinition = countRepetition(node.path.slice(1), (element) => element.repetition_type !== 'REQUIRED')
  const leaf: ShreddedLeaf = { path: node.path, maxDefinition, values: [], definitions: [], repetitions: [] }
  leaves.push(leaf)
  const required = node.element.repetition_type === 'REQUIRED'
  const encode = leafEncoder(node)
  const push = (value: LeafValue, definition: number, repetition: number) => {
    leaf.values.push(value)
    leaf.definitions.push(definition)
    leaf.repetitions.push(repetition)
  }
  return {
    emit: (value, definition, repetition) => {
      assert(value !== null || !required, 'a key of a map is not null')
      if (value === null) push(null, definition, repetition)
      else push(encode(value), maxDefinition, repetition)
    },
    emitAbsent: (definition, repetition) => push(null, definition, repetition),
  }
}

function leafEncoder({ type }: WriteNode): (value: Value) => LeafValue {
  if (type.kind === 'decimal') return (value) => (value as Decimal).unscaled
  if (type.kind === 'float') return (value) => Math.fround(value as number)
  return (value) => value as LeafValue
}

function structEmitter(node: WriteNode, leaves: ShreddedLeaf[], members: (value: Value) => Row): Emitter {
  const children = node.children.map((child) => emitterFor(child, leaves))
  const ordinals = node.type.kind === 'struct' ? node.ordinals : children.map((_, i) => i)
  const emitAbsent = (definition: number, repetition: number) => {
    for (const child of children) child.emitAbsent(definition, repetition)
  }
  return {
    emitAbsent,
    emit: (value, definition, repetition) => {
      if (value === null) return emitAbsent(definition, repetition)
      const row = members(value)
      children.forEach((child, i) => {
        child.emit(row[ordinals[i]!] ?? null, definition + 1, repetition)
      })
    },
  }
}

/** A list or map is null at its own level, empty one above, and has entries two above. */
function entriesEmitter<T>(
  node: WriteNode,
  emitEntry: (entry: T, definition: number, repetition: number) => void,
  emitAbsent: (definition: number, repetition: number) => void,
): Emitter {
  const repeat = countRepetition(node.path, (element) => element.repetition_type === 'REPEATED') + 1
  return {
    emitAbsent,
    emit: (value, definition, repetition) => {
      if (value === null) return emitAbsent(definition, repetition)
      const entries = value as unknown as readonly T[]
      if (entries.length === 0) return emitAbsent(definition + 1, repetition)
      entries.forEach((entry, i) => {
        emitEntry(entry, definition + 2, i === 0 ? repetition : repeat)
      })
    },
  }
}

function listEmitter(node: WriteNode, leaves: ShreddedLeaf[]): Emitter {
  const element = emitterFor(node.children[0]!, leaves)
  return entriesEmitter<Value>(node, element.emit, element.emitAbsent)
}

function mapEmitter(node: WriteNode, leaves: ShreddedLeaf[]): Emitter {
  const key = emitterFor(node.children[0]!, leaves)
  const value = emitterFor(node.children[1]!, leaves)
  const emitEntry = (entry: MapEntry, definition: number, repetition: number) => {
    key.emit(entry.key, definition, repetition)
    value.emit(entry.value, definition, repetition)
  }
  const emitAbsent = (definition: number, repetition: number) => {
    key.emitAbsent(definition, repetition)
    value.emitAbsent(definition, repetition)
  }
  return entriesEmitter<MapEntry>(node, emitEntry, emitAbsent)
}
