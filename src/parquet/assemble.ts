/**
 * Rows out of leaves: puts structs, lists and maps together again by definition and repetition levels.
 *
 * Every entry of every leaf is taken exactly once; a file whose leaves disagree on how many there are is an error.
 * Source: Parquet format, "Nested Encoding".
 */
import { type MapEntry, type Row, type Value, Variant } from '../schema/index.ts'
import type { LeafColumn } from './chunk.ts'
import type { Shape } from './shape.ts'
import { joinVariant } from './shredded-variant.ts'

/** Gives the value of the next row, or passes over it. */
interface ValueReader {
  read(): Value
  skip(): void
}

/**
 * The values of a column, one a row.
 *
 * @param leaves the decoded leaves by leaf index
 * @throws RangeError when the leaves do not give that many rows
 */
export function assembleColumn(shape: Shape, leaves: ReadonlyMap<number, LeafColumn>, numRows: number): Value[] {
  if (shape.kind === 'absent') return new Array<Value>(numRows).fill(null)
  const cursors = new Map([...leaves].map(([index, column]) => [index, new LeafCursor(column)]))
  const reader = readerFor(shape, cursors)
  const lead = cursors.get(shape.lead.firstLeaf)!
  const values: Value[] = new Array(numRows)
  for (let row = 0; row < numRows; row++) {
    if (lead.repetition() !== 0) throw new RangeError('a row begins inside a list')
    values[row] = reader.read()
  }
  for (const cursor of cursors.values()) {
    if (!cursor.ended) throw new RangeError('the columns of a row group differ in their number of rows')
  }
  return values
}

class LeafCursor {
  private at = 0
  private valueAt = 0
  private readonly column: LeafColumn

  constructor(column: LeafColumn) {
    this.column = column
  }

  get ended(): boolean {
    return this.at === this.column.numEntries
  }

  /** how deep the next entry is defined; past every level where all are */
  definition(): number {
    this.expectEntry()
    return this.column.definitions?.[this.at] ?? Number.POSITIVE_INFINITY
  }

  /** which list the next entry continues; 0 where a row begins, and at the end */
  repetition(): number {
    return this.column.repetitions?.[this.at] ?? 0
  }

  take(full: number): Value {
    const defined = this.definition() >= full
    this.at++
    return defined ? this.column.values[this.valueAt++]! : null
  }

  skip(full: number): void {
    this.take(full)
  }

  private expectEntry(): void {
    if (this.ended) throw new RangeError('the columns of a row group differ in their number of rows')
  }
}

type Cursors = ReadonlyMap<number, LeafCursor>

function readerFor(shape: Shape, cursors: Cursors): ValueReader {
  switch (shape.kind) {
    case 'absent':
      return { read: () => null, skip: () => {} }
    case 'leaf':
      return leafReader(shape, cursors)
    case 'struct':
      return structReader(shape, cursors)
    case 'list':
      return listReader(shape, cursors)
    case 'map':
      return mapReader(shape, cursors)
    case 'variant':
      return variantReader(shape, cursors)
  }
}

function leafReader({ lead }: Shape & { kind: 'leaf' }, cursors: Cursors): ValueReader {
  const cursor = cursors.get(lead.firstLeaf)!
  const full = lead.definition
  return { read: () => cursor.take(full), skip: () => cursor.skip(full) }
}

function structReader(shape: Shape & { kind: 'struct' }, cursors: Cursors): ValueReader {
  const cursor = cursors.get(shape.lead.firstLeaf)!
  const fields = shape.fields.map((field) => readerFor(field, cursors))
  // where every field is absent, no field takes the entries of the lead
  const leadIsFree = shape.fields.every((field) => field.kind === 'absent')
  const skip = () => {
    for (const field of fields) field.skip()
    if (leadIsFree) cursor.skip(shape.lead.definition)
  }
  const read = () => {
    if (cursor.definition() < shape.definition) {
      skip()
      return null
    }
    const values = fields.map((field) => field.read())
    if (leadIsFree) cursor.skip(shape.lead.definition)
    return values
  }
  return { read, skip }
}

/** Reads the entries of a list or map one by one; null where it is null. */
function entriesReader<T>(
  shape: Shape & { kind: 'list' | 'map' },
  cursors: Cursors,
  entry: { read(): T; skip(): void },
): () => T[] | null {
  const cursor = cursors.get(shape.lead.firstLeaf)!
  const { present, entry: entryLevel, repeat } = shape.levels
  return () => {
    const definition = cursor.definition()
    if (definition < entryLevel) {
      entry.skip()
      return definition < present ? null : []
    }
    const items: T[] = []
    do items.push(entry.read())
    while (!cursor.ended && cursor.repetition() === repeat)
    return items
  }
}

function listReader(shape: Shape & { kind: 'list' }, cursors: Cursors): ValueReader {
  const element = readerFor(shape.element, cursors)
  return { read: entriesReader<Value>(shape, cursors, element), skip: () => element.skip() }
}

function mapReader(shape: Shape & { kind: 'map' }, cursors: Cursors): ValueReader {
  const key = readerFor(shape.key, cursors)
  const value = readerFor(shape.value, cursors)
  const skip = () => {
    key.skip()
    value.skip()
  }
  const read = (): MapEntry => ({ key: key.read(), value: value.read() })
  return { read: entriesReader<MapEntry>(shape, cursors, { read, skip }), skip }
}

function variantReader({ parts, pair }: Shape & { kind: 'variant' }, cursors: Cursors): ValueReader {
  const reader = readerFor(parts, cursors)
  const read = () => {
    const row = reader.read() as Row | null
    if (row === null) return null
    const [metadata, value = null, typed = null] = row as readonly [Uint8Array, Value?, Value?]
    if (pair !== undefined) return new Variant(metadata, joinVariant(metadata, [value, typed], pair))
    if (value === null) throw new RangeError('a variant has no value')
    return new Variant(metadata, value as Uint8Array)
  }
  return { read, skip: () => reader.skip() }
}
