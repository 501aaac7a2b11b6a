/** The table that the guide and the playground start with: twelve orders in three files, then a history of its own. */
import type { Call, RowInput } from '../calls/call.ts'

export const SCHEMA =
  'order_id STRING, customer STRING, country STRING, month STRING, amount DECIMAL(10,2), updated_at TIMESTAMP'
export const LOCATION = '/lake/orders'
export const TODAY = '/lake/today'

/** Monday morning; each call of the starter is made a day later. */
export const BEGIN_MS = Date.UTC(2024, 3, 1, 8, 0, 0)

export function order(
  order_id: string,
  customer: string,
  country: string,
  month: string,
  amount: string,
  updated_at: string,
): RowInput {
  return Object.entries({ order_id, customer, country, month, amount, updated_at })
}

/** The rows of each file, in the order they arrived; countries and months are mixed in every one. */
export const FIRST_ROWS: readonly RowInput[] = [
  order('1041', 'Keller', 'DE', '2024-01', '12.50', '2024-01-08 09:00:00'),
  order('1042', 'de Vries', 'NL', '2024-03', '80.00', '2024-03-04 14:10:00'),
  order('1043', 'Vogel', 'DE', '2024-03', '1250.00', '2024-03-05 10:30:00'),
  order('1044', 'Moreau', 'FR', '2024-02', '42.00', '2024-02-11 16:45:00'),
  order('1045', 'Petit', 'FR', '2024-01', '19.90', '2024-01-19 11:20:00'),
  order('1046', 'Jansen', 'NL', '2024-03', '230.00', '2024-03-07 08:05:00'),
  order('1047', 'Braun', 'DE', '2024-01', '64.00', '2024-01-23 17:30:00'),
  order('1048', 'Bakker', 'NL', '2024-02', '15.75', '2024-02-14 12:00:00'),
]

export const SECOND_ROWS: readonly RowInput[] = [
  order('1049', 'Wolf', 'DE', '2024-03', '310.00', '2024-03-12 09:40:00'),
  order('1050', 'Lambert', 'FR', '2024-01', '27.30', '2024-01-30 13:15:00'),
  order('1051', 'Visser', 'NL', '2024-02', '99.00', '2024-02-20 10:00:00'),
  order('1052', 'Lefevre', 'FR', '2024-02', '48.60', '2024-02-27 15:55:00'),
]

/** A supplier's file: a correction, two new orders, a cancelled one. */
export const SUPPLIER_ROWS: readonly RowInput[] = [
  [...order('1044', 'Moreau', 'FR', '2024-02', '45.00', '2024-04-02 09:00:00'), ['status', 'ok']],
  [...order('1053', 'Fischer', 'DE', '2024-03', '75.20', '2024-04-02 09:00:00'), ['status', 'ok']],
  [...order('1054', 'Girard', 'FR', '2024-03', '18.00', '2024-04-02 09:00:00'), ['status', 'ok']],
  [...order('1051', 'Visser', 'NL', '2024-02', '99.00', '2024-04-02 09:00:00'), ['status', 'cancelled']],
]

/** Columns that an insert or update of the whole row sets. */
export const COLUMNS = ['order_id', 'customer', 'country', 'month', 'amount', 'updated_at'] as const

export const SUPPLIER_MERGE: Call = {
  op: 'merge',
  source: SUPPLIER_ROWS,
  on: 't.order_id = s.order_id',
  clauses: [
    { when: 'matched', action: 'delete', set: [], condition: "s.status = 'cancelled'" },
    {
      when: 'matched',
      action: 'update',
      set: [
        ['amount', 's.amount'],
        ['updated_at', 's.updated_at'],
      ],
      condition: '',
    },
    {
      when: 'notMatched',
      action: 'insert',
      set: COLUMNS.map((name) => [name, `s.${name}`] as const),
      condition: "s.status <> 'cancelled'",
    },
  ],
  schemaEvolution: false,
}

export const CORRECT_1043: Call = {
  op: 'update',
  set: [
    ['amount', '125.00'],
    ['updated_at', "timestamp'2024-04-03 08:00:00'"],
  ],
  where: "order_id = '1043'",
}

const WRONG_ROWS: readonly RowInput[] = [
  order('9001', 'test', 'DE', '2024-04', '0.00', '2024-04-06 08:00:00'),
  order('9002', 'test', 'DE', '2024-04', '0.00', '2024-04-06 08:00:00'),
]
const NEXT_ROWS: readonly RowInput[] = [order('1055', 'Mulder', 'NL', '2024-04', '33.00', '2024-04-07 07:30:00')]

/** What was done to the table after its first version, a day apart. */
export const STARTER_CALLS: readonly Call[] = [
  { op: 'append', rows: SECOND_ROWS, mergeSchema: false },
  CORRECT_1043,
  { op: 'delete', where: "order_id in ('1046', '1048')" },
  SUPPLIER_MERGE,
  { op: 'overwrite', rows: WRONG_ROWS, overwriteSchema: false, replaceWhere: '' },
  { op: 'append', rows: NEXT_ROWS, mergeSchema: false },
  { op: 'restore', version: 4 },
]
