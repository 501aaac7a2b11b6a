/** Pairs of writers, and what becomes of them. */
import type { Call } from '../../calls/call.ts'
import type { PlayStart } from '../../messages.ts'
import type { LaneName } from '../../play/lane-view.ts'
import { order, SUPPLIER_MERGE } from '../../play/starter.ts'
import { SECOND_CALL } from './starts.ts'

export interface Preset {
  readonly key: string
  readonly title: string
  readonly says: string
  readonly start: PlayStart
  readonly calls: Readonly<Record<LaneName, Call>>
  /** the writer whose store does not answer after its commit landed */
  readonly lostAnswer?: LaneName
}

const append = (id: string, country: string): Call => ({
  op: 'append',
  rows: [order(id, 'Nowak', country, '2024-04', '10.00', '2024-04-09 08:00:00')],
  mergeSchema: false,
})
const update = (id: string, amount: string): Call => ({
  op: 'update',
  set: [['amount', amount]],
  where: `order_id = '${id}'`,
})
const THREE_FILES: PlayStart = { from: 'first', calls: [SECOND_CALL] }

export const PRESETS: readonly Preset[] = [
  {
    key: 'appends',
    title: 'append + append',
    says: 'Both add files and remove none: there is nothing to disagree about. The second takes the next number and rewrites no file.',
    start: THREE_FILES,
    calls: { A: append('1071', 'DE'), B: append('1072', 'FR') },
  },
  {
    key: 'updates',
    title: 'update + update, one file',
    says: 'Both rows lie in the same file. Whoever commits second worked from a file that is no longer part of the table.',
    start: THREE_FILES,
    calls: { A: update('1043', '125.00'), B: update('1041', '13.00') },
  },
  {
    key: 'delete',
    title: 'update + delete of what it read',
    says: 'One changes an order, the other deletes every order. The update read rows that are gone when it commits.',
    start: THREE_FILES,
    calls: { A: { op: 'delete', where: '' }, B: update('1043', '125.00') },
  },
  {
    key: 'merge',
    title: 'merge + append that it would match',
    says: 'The merge looked for order 1053 and found none. Meanwhile another writer appends it.',
    start: { ...THREE_FILES, properties: { 'delta.isolationLevel': 'Serializable' } },
    calls: { A: append('1053', 'DE'), B: SUPPLIER_MERGE },
  },
  {
    key: 'optimize',
    title: 'append + optimize',
    says: 'One adds rows, the other moves rows it knows. Neither touches what the other did.',
    start: THREE_FILES,
    calls: { A: append('1071', 'DE'), B: { op: 'optimize', where: '', zorderBy: [] } },
  },
  {
    key: 'schema',
    title: 'schema change + append',
    says: 'The append was checked against a schema that is not the table’s any more when it commits.',
    start: THREE_FILES,
    calls: { A: { op: 'sql', text: 'ALTER TABLE orders ADD COLUMNS (channel STRING)' }, B: append('1071', 'DE') },
  },
  {
    key: 'lost',
    title: 'an answer that is lost',
    says: 'The commit of A lands and the store’s answer never arrives. A reads the version, finds its own mark in it and knows.',
    start: THREE_FILES,
    calls: { A: append('1071', 'DE'), B: append('1072', 'FR') },
    lostAnswer: 'A',
  },
]
