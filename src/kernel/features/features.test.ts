import { describe, expect, it } from 'vitest'
import { field, integerType, structType, timestampNtzType } from '../../schema/index.ts'
import type { Metadata, Protocol } from '../actions/actions.ts'
import { validateReadable, validateReadableSchema } from './read-gate.ts'
import { findFeature, supportsFeature, tableFeatures } from './registry.ts'
import { isWidening } from './type-widening.ts'

const metadata = (configuration: Record<string, string>, provider = 'parquet'): Metadata => ({
  id: 'm',
  format: { provider, options: new Map() },
  partitionColumns: [],
  configuration: new Map(Object.entries(configuration)),
})
const legacy = (minReaderVersion: number, minWriterVersion: number): Protocol => ({
  minReaderVersion,
  minWriterVersion,
})

describe('features', () => {
  it('have one name each, and needs that exist', () => {
    const names = tableFeatures.flatMap(({ name, aliases = [] }) => [name, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    for (const { name, needs } of tableFeatures) for (const need of needs) expect(findFeature(need), name).toBeDefined()
  })

  it('are implied by old versions or listed, under any of their names', () => {
    expect(supportsFeature(legacy(1, 2), 'appendOnly')).toBe(true)
    expect(supportsFeature(legacy(1, 2), 'checkConstraints')).toBe(false)
    expect(supportsFeature(legacy(2, 5), 'columnMapping')).toBe(true)
    expect(supportsFeature(legacy(1, 5), 'columnMapping')).toBe(false)
    const listed = { ...legacy(1, 7), writerFeatures: ['inCommitTimestamp-preview'] }
    expect(supportsFeature(listed, 'inCommitTimestamp')).toBe(true)
    expect(supportsFeature(listed, 'appendOnly')).toBe(false)
    expect(supportsFeature(listed, 'noSuchFeature')).toBe(false)
  })

  it('are active by their property, type or domain', () => {
    const active = (name: string, configuration: Record<string, string>) =>
      findFeature(name)!.isActive({
        metadata: metadata(configuration),
        schema: structType([field('t', timestampNtzType)]),
        domains: new Map([['delta.clustering', { domain: 'delta.clustering', configuration: '{}', removed: false }]]),
      })
    expect(active('appendOnly', {})).toBe(false)
    expect(active('appendOnly', { 'DELTA.appendonly': 'true' })).toBe(true)
    expect(active('columnMapping', { 'delta.columnMapping.mode': 'id' })).toBe(true)
    expect(active('checkConstraints', { 'delta.constraints.c': 'a > 1' })).toBe(true)
    expect(active('timestampNtz', {})).toBe(true)
    expect(active('variantType', {})).toBe(false)
    expect(active('clustering', {})).toBe(true)
  })
})

describe('the reading gate', () => {
  const gate = (protocol: Protocol) => () => validateReadable('/t', protocol)
  const reader3 = (...readerFeatures: string[]): Protocol => ({
    ...legacy(3, 7),
    readerFeatures,
    writerFeatures: readerFeatures,
  })

  it('lets in what kernel and engines read', () => {
    expect(gate(legacy(2, 5))).not.toThrow()
    expect(gate(reader3('deletionVectors', 'v2Checkpoint', 'timestampNtz', 'typeWidening-preview'))).not.toThrow()
    expect(gate({ ...legacy(1, 7), writerFeatures: ['unheardOf'] })).not.toThrow()
    expect(gate(legacy(1, 99))).not.toThrow()
  })

  it('refuses the rest by name', () => {
    expect(gate(reader3('deletionVectors', 'liquid', 'geospatial'))).toThrow('features liquid, geospatial,')
    expect(gate(legacy(4, 7))).toThrow('needs reader version 4')
    expect(gate(legacy(0, 1))).toThrow('needs reader version 0')
    expect(gate(legacy(3, 7))).toThrow('lists no readerFeatures')
    expect(gate({ ...reader3(), minWriterVersion: 6 })).toThrow('goes with writer version 7')
  })

  it('refuses other data files and changes of type it cannot follow', () => {
    const schema = (fromType: string, toType: string) =>
      structType([field('c', integerType, true, { 'delta.typeChanges': [{ fromType, toType }] })])
    const check =
      (...args: [string, string]) =>
      () =>
        validateReadableSchema('/t', metadata({}), schema(...args))
    expect(check('byte', 'integer')).not.toThrow()
    expect(check('string', 'integer')).toThrow('c of /t was changed from string to integer')
    expect(() => validateReadableSchema('/t', metadata({}, 'orc'), structType([]))).toThrow('the format orc')
  })
})

describe('a type may grow', () => {
  it('along the integers, to double, to wider decimals, from date to timestamp_ntz', () => {
    const widenings = ['byte long', 'integer double', 'float double', 'date timestamp_ntz', 'decimal(5,2) decimal(7,4)']
    const exact = ['long decimal(20,0)', 'integer decimal(12,2)', 'byte decimal(10,0)']
    for (const pair of [...widenings, ...exact]) expect(isWidening(...split(pair)), pair).toBe(true)
  })

  it('and in no other way', () => {
    const wrong = ['long integer', 'long double', 'double float', 'decimal(5,2) decimal(6,4)', 'long decimal(19,0)']
    for (const pair of [...wrong, 'string integer', 'byte byte', 'decimal(5,2) decimal(5,2)'])
      expect(isWidening(...split(pair)), pair).toBe(false)
  })

  function split(pair: string): [string, string] {
    const [from, to] = pair.split(' ')
    return [from!, to!]
  }
})
