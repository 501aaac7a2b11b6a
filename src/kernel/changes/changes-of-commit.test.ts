import { describe, expect, it } from 'vitest'
import type { Action, AddFile, DeletionVectorDescriptor, RemoveFile } from '../actions/actions.ts'
import { changesOfCommit } from './changes-of-commit.ts'

const vector = (name: string): DeletionVectorDescriptor => {
  return { storageType: 'u', pathOrInlineDv: name, offset: 1, sizeInBytes: 40, cardinality: 2 }
}
const [A, B] = [vector('a'), vector('b')]

function add(path: string, options: Partial<AddFile> = {}): Action {
  return { add: { path, partitionValues: new Map(), size: 1, modificationTime: 0, dataChange: true, ...options } }
}

function remove(path: string, options: Partial<RemoveFile> = {}): Action {
  return { remove: { path, dataChange: true, partitionValues: new Map(), size: 1, ...options } }
}

/** `change path -vector of deleted rows +vector whose rows are wanted`. */
function changes(actions: readonly Action[], partitioned = false): string[] {
  const { files } = changesOfCommit({ version: 7, timestampMs: 1500, actions, partitioned })
  return files.map(({ path, partitionValues, deletionVector, hiddenBy }) => {
    const deleted = deletionVector === undefined ? '' : ` -${deletionVector.pathOrInlineDv}`
    const wanted = hiddenBy === undefined ? '' : ` +${hiddenBy.pathOrInlineDv}`
    return `${partitionValues.get('_change_type') ?? 'recorded'} ${path}${deleted}${wanted}`
  })
}

describe('changesOfCommit', () => {
  it('takes what was removed for deleted and what was added for inserted, with the rows that lived', () => {
    expect(changes([add('x', { deletionVector: A }), remove('y', { deletionVector: B })])).toEqual([
      'delete y -b',
      'insert x -a',
    ])
  })

  it('passes over files whose data did not change', () => {
    expect(changes([add('x', { dataChange: false }), remove('y', { dataChange: false })])).toEqual([])
  })

  it('gives the rows between the two vectors of a file, in either direction and however its path is spelt', () => {
    expect(changes([remove('x'), add('x', { deletionVector: A })])).toEqual(['delete x +a'])
    expect(changes([add('x', { deletionVector: B }), remove('x', { deletionVector: A })])).toEqual([
      'delete x -a +b',
      'insert x -b +a',
    ])
    expect(changes([remove('x%2Dy', { deletionVector: A }), add('x-y')])).toEqual(['insert x-y +a'])
    expect(changes([remove('x'), add('x')])).toEqual([])
  })

  it('reads a commit with change files from those alone', () => {
    const cdc = { path: 'c', partitionValues: new Map([['p', '1']]), size: 1, dataChange: false } as const
    expect(changes([add('x'), { cdc }, remove('y')])).toEqual(['recorded c'])
  })

  it('gives each file version and time of its commit', () => {
    const { files } = changesOfCommit({ version: 7, timestampMs: 1500, actions: [add('x')], partitioned: false })
    expect([...files[0]!.partitionValues]).toEqual([
      ['_change_type', 'insert'],
      ['_commit_version', '7'],
      ['_commit_timestamp', '1970-01-01T00:00:01.500000Z'],
    ])
  })

  it('gives nothing of a MERGE that wrote files again and changed no row', () => {
    const merge = (inserted: string): Action => {
      const operationMetrics = {
        numTargetRowsInserted: inserted,
        numTargetRowsUpdated: '0',
        numTargetRowsDeleted: '0',
      }
      return { commitInfo: { operation: 'MERGE', operationMetrics } }
    }
    expect(changes([merge('0'), add('x'), remove('y')])).toEqual([])
    expect(changes([merge('1'), add('x')])).toEqual(['insert x'])
  })

  it('refuses a removed file of which it is not known in which partition it was', () => {
    const unknown = { remove: { path: 'x', dataChange: true } } as const
    expect(changes([unknown])).toEqual(['delete x'])
    expect(() => changes([unknown], true)).toThrow(
      expect.objectContaining({ code: 'DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA' }),
    )
  })
})
