/**
 * A leaf of a file as a type of the table, exactly, or not at all.
 *
 * DuckDB casts what a file holds to what it is asked for: 1.5 to 2, a 64-bit integer to the nearest double, bytes to
 * their escapes. Only casts that keep every value are taken; the rest is refused, as by the reader in TypeScript. Source:
 * Delta protocol, "Type Widening".
 */
import type { DataType, DecimalType } from '../../../schema/index.ts'

/** How a leaf is read: the type to ask of the file, and the table's value made from that. */
export interface LeafFit {
  readonly fileType: string
  rebuild(source: string): string
  /** whether the table's own type can be asked of the file, which gives the same */
  readonly plain: boolean
}

/**
 * @param stored DuckDB's type of the leaf
 * @param wanted DuckDB's type of `type`
 * @returns undefined for a pair that could lose something
 */
export function fitLeaf(type: DataType, stored: string, wanted: string): LeafFit | undefined {
  if (type.kind === 'string' && stored === 'BLOB') return made(stored, (source) => `decode(${source})`)
  if (type.kind === 'binary' && isText(stored)) return made('VARCHAR', (source) => `encode(${source})`)
  if (type.kind === 'date' && stored === 'INTEGER') return made(stored, (source) => `DATE '1970-01-01' + ${source}`)
  if (!keepsValues(type, stored)) return undefined
  return { fileType: wanted, rebuild: (source) => source, plain: true }
}

function made(fileType: string, rebuild: (source: string) => string): LeafFit {
  return { fileType, rebuild, plain: false }
}

/** Whether a cast keeps each value, or fails where one does not fit. */
function keepsValues(type: DataType, stored: string): boolean {
  switch (type.kind) {
    case 'boolean':
      return stored === 'BOOLEAN'
    case 'byte':
    case 'short':
    case 'integer':
      return isSmallInteger(stored)
    case 'long':
      return isInteger(stored)
    case 'float':
      return stored === 'FLOAT'
    case 'double':
      return stored === 'DOUBLE' || stored === 'FLOAT' || isSmallInteger(stored)
    case 'decimal':
      return isInteger(stored) || isNarrowerDecimal(type, stored)
    case 'string':
      return isText(stored)
    case 'binary':
      return stored === 'BLOB'
    case 'date':
      return stored === 'DATE'
    case 'timestamp':
      return stored.startsWith('TIMESTAMP')
    case 'timestamp_ntz':
      return stored.startsWith('TIMESTAMP') || stored === 'DATE'
    default:
      return true
  }
}

/** An integer that Parquet holds in 32 bits. */
function isSmallInteger(stored: string): boolean {
  return /^U?(?:TINYINT|SMALLINT|INTEGER)$/.test(stored)
}

function isInteger(stored: string): boolean {
  return isSmallInteger(stored) || stored === 'BIGINT' || stored === 'UBIGINT'
}

function isText(stored: string): boolean {
  return stored === 'VARCHAR' || stored === 'JSON'
}

function isNarrowerDecimal(type: DecimalType, stored: string): boolean {
  const scale = /^DECIMAL\(\d+,\s*(\d+)\)$/.exec(stored)?.[1]
  return scale !== undefined && Number(scale) <= type.scale
}
