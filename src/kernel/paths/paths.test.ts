import { describe, expect, it } from 'vitest'
import { canonicalPath, decodePath, isAbsolutePath, locateDataFile } from './data-path.ts'
import { checkpointKey, checkpointPartKey, commitKey, LOG_PREFIX, parseLogName, uuidCheckpointKey } from './log-name.ts'

const UUID = '80a083e8-7026-4e79-81be-64bd76c43a11'
const nameOf = (key: string) => key.slice(LOG_PREFIX.length)

describe('names of log files', () => {
  it('are recognised as they are made', () => {
    expect(parseLogName(nameOf(commitKey(7)))).toEqual({ kind: 'commit', version: 7 })
    expect(parseLogName(nameOf(checkpointKey(8)))).toEqual({
      kind: 'checkpoint',
      version: 8,
      form: { kind: 'classic' },
    })
    expect(parseLogName(nameOf(checkpointPartKey(8, 2, 3)))).toMatchObject({
      form: { kind: 'multi-part', part: 2, parts: 3 },
    })
    expect(parseLogName(nameOf(uuidCheckpointKey(8, UUID, 'json')))).toMatchObject({
      form: { kind: 'uuid', uuid: UUID, format: 'json' },
    })
    expect(parseLogName('00000000000000000001.00000000000000000004.compacted.json')).toEqual({
      kind: 'compaction',
      from: 1,
      version: 4,
    })
    expect(parseLogName('00000000000000000001.crc')).toEqual({ kind: 'checksum', version: 1 })
  })

  it('are nothing else', () => {
    for (const name of [
      '_last_checkpoint',
      '.00000000000000000001.json.crc',
      '00000000000000000001.json.tmp',
      '1.json',
      '99999999999999999999.json',
      '00000000000000000001.checkpoint.0000000004.0000000003.parquet',
      '00000000000000000004.00000000000000000001.compacted.json',
      '_commit_9b2f.json.tmp',
    ]) {
      expect(parseLogName(name), name).toBeUndefined()
    }
  })
})

describe('paths of data files', () => {
  it('are decoded once; what is no encoding stays', () => {
    expect(decodePath('p=a%253Ab/c%20d')).toBe('p=a%3Ab/c d')
    expect(decodePath('%E4%BD%A0')).toBe('你')
    expect(decodePath('100%/x%zz%FF')).toBe('100%/x%zz%FF')
  })

  it('are absolute by a slash or a scheme; a colon behind an equals sign is no scheme', () => {
    expect(['/x', 'file:/x', 's3a://b/k', 'S3:k'].filter(isAbsolutePath)).toHaveLength(4)
    expect(isAbsolutePath('time=1971-07-22T03:06:40.000000Z/part-0')).toBe(false)
    expect(isAbsolutePath('a/b:c')).toBe(false)
  })

  it('are one file whatever their spelling', () => {
    const same = ['/some/a b', 'file:/some/a%20b', 'file:///some/a%20b', 'file://localhost/some/a%20b', '//some/a%20b']
    expect(new Set(same.map(canonicalPath))).toEqual(new Set(['/some/a b']))
    expect(canonicalPath('s3a://bucket/k')).toBe(canonicalPath('s3://bucket/k'))
    expect(canonicalPath('p=%E4%BD%A0/f')).toBe(canonicalPath('p=你/f'))
    expect(canonicalPath('s3://one/k')).not.toBe(canonicalPath('s3://two/k'))
  })

  it('become keys of the store where they lie in the table', () => {
    const key = (path: string, location = '/lake/my orders') => locateDataFile(location, path)
    expect(key('p=a%2520b/f')).toEqual({ kind: 'key', key: 'p=a%20b/f' })
    expect(key('file:///lake/my%20orders/f')).toEqual({ kind: 'key', key: 'f' })
    expect(key('s3a://b/t/f', 's3://b/t/')).toEqual({ kind: 'key', key: 'f' })
    expect(key('/elsewhere/f')).toEqual({ kind: 'absolute', path: '/elsewhere/f' })
    expect(key('/lake/my%20orders2/f')).toEqual({ kind: 'absolute', path: '/lake/my orders2/f' })
    expect(key('p=..x/f')).toEqual({ kind: 'key', key: 'p=..x/f' })
    expect(() => key('../f')).toThrow('leads out of the table')
    expect(() => key('a/%2e%2e/../f')).toThrow('leads out of the table')
  })
})
