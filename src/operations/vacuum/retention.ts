/** How long removed files are kept, and the refusal of less than a table asks for. */
import { deltaError } from '../../errors/index.ts'
import { property, type Snapshot } from '../../kernel/index.ts'
import { HOUR_MS, type JsonObject } from '../../support/index.ts'
import type { OperationContext } from '../context.ts'
import type { VacuumCommand } from '../upkeep-command.ts'

export interface Retention {
  /** files that were removed, or stored without being in the table, before this time may go */
  readonly cutoffMs: number
  /** as commitInfo tells of it */
  readonly parameters: JsonObject
}

/** @throws DeltaError `DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT`, `DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE` */
export function retentionOf(command: VacuumCommand, { configuration }: Snapshot, context: OperationContext): Retention {
  const { retentionMs, checkRetention = true } = command
  const tableMs = property(configuration, 'deletedFileRetentionDuration')
  const keptMs = retentionMs ?? tableMs
  const details = { path: context.location, hours: keptMs / HOUR_MS, tableHours: Math.ceil(tableMs / HOUR_MS) }
  if (!(keptMs >= 0)) throw deltaError('DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE', details)
  if (keptMs < tableMs) {
    if (checkRetention) throw deltaError('DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT', details)
    context.warn(
      `VACUUM keeps removed files for ${details.hours} hours, less than the ${details.tableHours} of the table: whoever reads an older version now, or is writing, may lose files`,
    )
  }
  return {
    cutoffMs: context.clock.now() - keptMs,
    parameters: {
      retentionCheckEnabled: checkRetention,
      defaultRetentionMillis: tableMs,
      ...(retentionMs !== undefined && { specifiedRetentionMillis: retentionMs }),
    },
  }
}
