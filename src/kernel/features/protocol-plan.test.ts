import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { featuresOf, lowestProtocol, spellingsOf, withNeeds } from './protocol-plan.ts'

const base = ['appendOnly', 'invariants']
const lowest = (...names: string[]) => lowestProtocol(new Set(names))

describe('the lowest protocol', () => {
  test.each<[string[], number, number]>([
    [[], 1, 1],
    [base, 1, 2],
    [[...base, 'checkConstraints'], 1, 3],
    [[...base, 'checkConstraints', 'changeDataFeed', 'generatedColumns'], 1, 4],
    [[...base, 'checkConstraints', 'changeDataFeed', 'generatedColumns', 'columnMapping'], 2, 5],
    [[...base, 'checkConstraints', 'changeDataFeed', 'generatedColumns', 'columnMapping', 'identityColumns'], 2, 6],
  ])('%j is a legacy version', (names, minReaderVersion, minWriterVersion) => {
    expect(lowest(...names)).toEqual({ minReaderVersion, minWriterVersion })
  })

  test.each<[string[], object]>([
    [
      [...base, 'changeDataFeed'],
      { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['appendOnly', 'changeDataFeed', 'invariants'] },
    ],
    [
      [...base, 'columnMapping'],
      { minReaderVersion: 2, minWriterVersion: 7, writerFeatures: ['appendOnly', 'columnMapping', 'invariants'] },
    ],
    [
      [...base, 'columnMapping', 'deletionVectors'],
      {
        minReaderVersion: 3,
        minWriterVersion: 7,
        readerFeatures: ['columnMapping', 'deletionVectors'],
        writerFeatures: ['appendOnly', 'columnMapping', 'deletionVectors', 'invariants'],
      },
    ],
    [
      ['checkConstraints', 'appendOnly'],
      { minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ['appendOnly', 'checkConstraints'] },
    ],
  ])('%j is a list', (names, protocol) => {
    expect(lowest(...names)).toEqual(protocol)
  })

  test('holds exactly the features it was asked for', () => {
    const names = [
      ...base,
      'checkConstraints',
      'changeDataFeed',
      'generatedColumns',
      'columnMapping',
      'identityColumns',
      'deletionVectors',
      'timestampNtz',
      'domainMetadata',
      'someFeatureOfTomorrow',
    ]
    fc.assert(
      fc.property(fc.subarray(names), (wanted) => {
        const protocol = lowestProtocol(new Set(wanted))
        expect(featuresOf(protocol)).toEqual(new Set(wanted))
        expect(protocol.readerFeatures !== undefined).toBe(protocol.minReaderVersion === 3)
        expect(protocol.writerFeatures !== undefined).toBe(protocol.minWriterVersion === 7)
      }),
    )
  })
})

test('needs are followed to their end', () => {
  expect(withNeeds(['icebergCompatV3'])).toEqual(
    new Set(['icebergCompatV3', 'columnMapping', 'rowTracking', 'domainMetadata']),
  )
})

test('a preview name stays as the table has it', () => {
  const protocol = {
    minReaderVersion: 3,
    minWriterVersion: 7,
    readerFeatures: ['typeWidening-preview'],
    writerFeatures: ['typeWidening-preview'],
  }
  expect(lowestProtocol(featuresOf(protocol), spellingsOf(protocol))).toEqual(protocol)
})
