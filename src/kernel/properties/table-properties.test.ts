import { describe, expect, test } from 'vitest'
import { parseIntervalMs } from './interval.ts'
import { canonicalKey, property, validateProperties } from './table-properties.ts'

const DAY = 86_400_000

describe('intervals', () => {
  test.each([
    ['interval 30 days', 30 * DAY],
    ['INTERVAL 1 WEEK', 7 * DAY],
    ['2 days 3 hours', 2 * DAY + 3 * 3_600_000],
    ['interval 1500 microseconds', 1.5],
    ['interval 0 seconds', 0],
  ])('%s', (text, ms) => {
    expect(parseIntervalMs(text)).toBe(ms)
  })

  test.each(['interval 1 month', 'interval 2 years', '30', 'days', '', 'interval', 'interval -1 days', '1 day x'])(
    '%j is none',
    (text) => {
      expect(parseIntervalMs(text)).toBeUndefined()
    },
  )
})

describe('values', () => {
  test('a table that sets nothing has the defaults', () => {
    const none = new Map<string, string>()
    expect(property(none, 'checkpointInterval')).toBe(10)
    expect(property(none, 'logRetentionDuration')).toBe(30 * DAY)
    expect(property(none, 'checkpoint.writeStatsAsStruct')).toBe(false)
    expect(property(none, 'setTransactionRetentionDuration')).toBeUndefined()
  })

  test('keys match regardless of case, also by their old name', () => {
    expect(property(new Map([['delta.APPENDONLY', 'TRUE']]), 'appendOnly')).toBe(true)
    expect(property(new Map([['delta.enableChangeDataCapture', 'true']]), 'enableChangeDataFeed')).toBe(true)
    expect(canonicalKey('DELTA.checkpointinterval')).toBe('delta.checkpointInterval')
    expect(canonicalKey('Owner')).toBe('Owner')
  })

  test('a value out of range is refused with what is allowed', () => {
    expect(() => property(new Map([['delta.checkpointInterval', '0']]), 'checkpointInterval')).toThrow(
      expect.objectContaining({
        code: 'DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED',
        message: expect.stringContaining('a whole number from 1 on'),
      }),
    )
  })
})

describe('setting', () => {
  test('unknown delta keys are refused, the user keeps theirs', () => {
    expect(() => validateProperties(new Map([['delta.nonsense', '1']]))).toThrow(
      expect.objectContaining({ code: 'DELTA_UNKNOWN_CONFIGURATION' }),
    )
    expect(validateProperties(new Map([['owner', 'me']]))).toEqual(new Map([['owner', 'me']]))
  })

  test('known keys are stored in their own spelling', () => {
    expect(validateProperties(new Map([['delta.appendonly', 'true']]))).toEqual(new Map([['delta.appendOnly', 'true']]))
  })

  test('constraints and requests for features pass', () => {
    const wanted = new Map([
      ['delta.constraints.positive', 'x > 0'],
      ['delta.feature.deletionVectors', 'supported'],
    ])
    expect(validateProperties(wanted)).toEqual(wanted)
  })
})
