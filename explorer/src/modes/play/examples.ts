/** The calls that the buttons begin with, each something the table of the moment can take. */
import type { Call, Op, RowInput } from '../../calls/call.ts'

const COLUMNS = ['order_id', 'customer', 'country', 'month', 'amount', 'updated_at']

function order(...values: string[]): RowInput {
  return values.map((value, i) => [COLUMNS[i]!, value] as const)
}

const NEW_ROWS: readonly RowInput[] = [
  order('1061', 'Schmidt', 'DE', '2024-04', '58.00', '2024-04-09 08:00:00'),
  order('1062', 'Roux', 'FR', '2024-04', '21.40', '2024-04-09 08:05:00'),
]

export const MERGE_EXAMPLE: Extract<Call, { op: 'merge' }> = {
  op: 'merge',
  source: [
    order('1044', 'Moreau', 'FR', '2024-02', '47.50', '2024-04-10 09:00:00'),
    order('1063', 'Peters', 'NL', '2024-04', '88.00', '2024-04-10 09:00:00'),
  ],
  on: 't.order_id = s.order_id',
  clauses: [
    { when: 'matched', action: 'update', set: '*', condition: 's.updated_at > t.updated_at' },
    { when: 'notMatched', action: 'insert', set: '*', condition: '' },
  ],
  schemaEvolution: false,
}

export interface Example {
  readonly op: Op
  readonly title: string
  readonly says: string
  readonly call: (latest: number) => Call
}

export const EXAMPLES: readonly Example[] = [
  {
    op: 'append',
    title: 'Append',
    says: 'Adds rows. One commit that adds files and removes none.',
    call: () => ({ op: 'append', rows: NEW_ROWS, mergeSchema: false }),
  },
  {
    op: 'overwrite',
    title: 'Overwrite',
    says: 'These rows become the whole table. Every file that was live leaves it; the version before stays readable.',
    call: () => ({ op: 'overwrite', rows: NEW_ROWS, overwriteSchema: false, replaceWhere: '' }),
  },
  {
    op: 'update',
    title: 'Update',
    says: 'Changes rows. Each file that holds one of them is written anew, whole.',
    call: () => ({ op: 'update', set: [['amount', 'amount * 1.1']], where: "country = 'DE'" }),
  },
  {
    op: 'delete',
    title: 'Delete',
    says: 'Takes rows out. Files that hold other rows too are written anew without them.',
    call: () => ({ op: 'delete', where: "order_id = '1041'" }),
  },
  {
    op: 'merge',
    title: 'Merge',
    says: 'Brings a source in: changes what matches, adds what is new, as the clauses say.',
    call: () => MERGE_EXAMPLE,
  },
  {
    op: 'restore',
    title: 'Restore',
    says: 'A new commit whose files are those of an older version. No history is erased.',
    call: (latest) => ({ op: 'restore', version: Math.max(0, latest - 1) }),
  },
  {
    op: 'optimize',
    title: 'Optimize',
    says: 'Writes many small files as few large ones. No row changes.',
    call: () => ({ op: 'optimize', where: '', zorderBy: [] }),
  },
  {
    op: 'vacuum',
    title: 'Vacuum',
    says: 'Deletes files that left the table longer ago than the retention. The one call that destroys anything.',
    call: () => ({ op: 'vacuum', hours: 168, dryRun: true }),
  },
  {
    op: 'setProperty',
    title: 'Property',
    says: 'Sets a property of the table, such as deletion vectors: deletes then mark rows and rewrite no file.',
    call: () => ({ op: 'setProperty', key: 'delta.enableDeletionVectors', value: 'true' }),
  },
  {
    op: 'dropFeature',
    title: 'Drop feature',
    says: 'Takes a feature out of the protocol again, so that older readers can open the table.',
    call: () => ({ op: 'dropFeature', feature: 'deletionVectors', truncateHistory: false }),
  },
  {
    op: 'sql',
    title: 'SQL',
    says: 'Any statement of Delta: ALTER TABLE, DESCRIBE HISTORY, SHOW TBLPROPERTIES and the others.',
    call: () => ({ op: 'sql', text: 'DESCRIBE HISTORY orders' }),
  },
]
