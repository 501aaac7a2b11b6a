/** Chapters whose figure is a table with a few calls. */
import type { Call } from '../../calls/call.ts'
import { FIRST_ROWS, order } from '../../play/starter.ts'
import { CommitReport } from './commit-report.tsx'
import { type FigureProps, LiveFigure } from './live-figure.tsx'
import { SECOND_CALL } from './starts.ts'

const TODAY = [
  order('1061', 'Nowak', 'DE', '2024-04', '10.00', '2024-04-09 08:00:00'),
  order('1062', 'Nowak', 'FR', '2024-04', '20.00', '2024-04-09 08:00:00'),
]

export function ModesFigure(props: FigureProps) {
  return (
    <LiveFigure
      {...props}
      name="modes"
      start={{ from: 'first', calls: [SECOND_CALL] }}
      buttons={[
        { title: 'append these two rows', call: { op: 'append', rows: TODAY, mergeSchema: false } },
        {
          title: 'overwrite with them',
          call: { op: 'overwrite', rows: TODAY, overwriteSchema: false, replaceWhere: '' },
        },
      ]}
    />
  )
}

const WITH_CHANNEL = TODAY.map((row) => [...row, ['channel', 'web'] as const])
const WITH_WORDS = [FIRST_ROWS[0]!.map(([name, value]) => [name, name === 'amount' ? 'twelve' : value] as const)]

export function SchemaFigure(props: FigureProps) {
  return (
    <LiveFigure
      {...props}
      name="schema"
      start={{ from: 'first' }}
      buttons={[
        { title: 'append a column it does not have', call: { op: 'append', rows: WITH_CHANNEL, mergeSchema: false } },
        { title: 'append words where numbers belong', call: { op: 'append', rows: WITH_WORDS, mergeSchema: false } },
        { title: 'append with mergeSchema', call: { op: 'append', rows: WITH_CHANNEL, mergeSchema: true } },
      ]}
    />
  )
}

const raise = (where: string): Call => ({ op: 'update', set: [['amount', 'amount + 1']], where })

export function RewriteFigure(props: FigureProps) {
  return (
    <LiveFigure
      {...props}
      name="rewrite"
      start={{ from: 'first', calls: [SECOND_CALL] }}
      buttons={[
        { title: 'a row in one file', call: raise("order_id = '1043'") },
        { title: 'a row in each of two files', call: raise("order_id in ('1043', '1046')") },
        { title: 'a row in every file', call: raise("order_id in ('1043', '1046', '1050')") },
        {
          title: 'turn deletion vectors on',
          call: { op: 'setProperty', key: 'delta.enableDeletionVectors', value: 'true' },
        },
        { title: 'delete one row', call: { op: 'delete', where: "order_id = '1045'" } },
      ]}
    />
  )
}

export function RestoreFigure(props: FigureProps) {
  return (
    <LiveFigure
      {...props}
      name="restore"
      start={{ from: 'starter', until: 6 }}
      buttons={[{ title: 'restore version 4', call: { op: 'restore', version: 4 } }]}
    />
  )
}

export function HistoryFigure(props: FigureProps) {
  const { remote } = props
  return (
    <LiveFigure
      {...props}
      name="history"
      start={{ from: 'starter' }}
      buttons={[
        {
          title: 'add a commit with a note',
          call: {
            op: 'sql',
            text: "SET spark.databricks.delta.commitInfo.userMetadata = 'asked for by the shop'; DELETE FROM orders WHERE order_id = '1052'",
          },
        },
      ]}
      panes={false}
    >
      {(play) =>
        play.opened !== undefined && <CommitReport remote={remote} opened={play.opened} revision={play.revision} />
      }
    </LiveFigure>
  )
}
