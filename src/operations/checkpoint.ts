/** Writes a checkpoint of the newest version, whatever the interval says. */
import { writeCheckpoint } from '../kernel/index.ts'
import type { CheckpointCommand, CheckpointResult } from './command.ts'
import type { OperationContext } from './context.ts'

/** @throws what loading a snapshot throws, a `LAKE_STORAGE_…` code */
export async function executeCheckpoint(
  _command: CheckpointCommand,
  context: OperationContext,
): Promise<CheckpointResult> {
  return await context.withSnapshot(undefined, async (snapshot) => {
    const { version } = await writeCheckpoint(snapshot, { clock: context.clock })
    return { version }
  })
}
