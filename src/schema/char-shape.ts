/**
 * Where texts of a column are of the type char(n), at any depth.
 *
 * A schema holds such texts as strings and names their true type in the metadata of the top-level field, nested types in
 * the notation of SQL: `struct<c:char(4),a:array<char(2)>>`. Names in it are not quoted, so it is read beside the type.
 * Source: Spark, `CharVarcharUtils`.
 */
import type { DataType, StructField } from './types.ts'

const DECLARED = '__CHAR_VARCHAR_TYPE_STRING'

/** Only what leads to a char is there. */
export type CharShape =
  | { readonly kind: 'char'; readonly length: number }
  /** by the place of the member */
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<number, CharShape> }
  | { readonly kind: 'array'; readonly element: CharShape }
  | { readonly kind: 'map'; readonly key: CharShape | undefined; readonly value: CharShape | undefined }

/** @returns undefined where no text of the column is a char(n), or the metadata does not go with the type */
export function charShape({ type, metadata }: StructField): CharShape | undefined {
  const declared = metadata[DECLARED]
  if (typeof declared !== 'string' || !/char\(/i.test(declared)) return undefined
  const reader = new ShapeReader(declared)
  try {
    const shape = reader.read(type)
    return reader.isAtEnd ? shape : undefined
  } catch (error) {
    if (error instanceof Mismatch) return undefined
    throw error
  }
}

class Mismatch extends Error {}

class ShapeReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  get isAtEnd(): boolean {
    return this.at === this.text.length
  }

  read(type: DataType): CharShape | undefined {
    switch (type.kind) {
      case 'struct': {
        const members = new Map<number, CharShape>()
        this.expect('struct<')
        for (const [i, member] of type.fields.entries()) {
          if (i > 0) this.expect(',')
          this.expect(`${member.name}:`)
          const shape = this.read(member.type)
          if (shape !== undefined) members.set(i, shape)
        }
        this.expect('>')
        return members.size === 0 ? undefined : { kind: 'struct', members }
      }
      case 'array': {
        this.expect('array<')
        const element = this.read(type.element)
        this.expect('>')
        return element && { kind: 'array', element }
      }
      case 'map': {
        this.expect('map<')
        const key = this.read(type.key)
        this.expect(',')
        const value = this.read(type.value)
        this.expect('>')
        return key === undefined && value === undefined ? undefined : { kind: 'map', key, value }
      }
      default:
        return this.readLeaf(type)
    }
  }

  private readLeaf(type: DataType): CharShape | undefined {
    const word = /[a-z_ ]+(\(([\d, ]+)\))?/iy
    word.lastIndex = this.at
    const found = word.exec(this.text)
    if (found === null) throw new Mismatch()
    this.at = word.lastIndex
    const length = /^char\((\d+)\)$/i.exec(found[0])?.[1]
    return length === undefined || type.kind !== 'string' ? undefined : { kind: 'char', length: Number(length) }
  }

  private expect(text: string): void {
    if (!this.text.startsWith(text, this.at)) throw new Mismatch()
    this.at += text.length
  }
}
