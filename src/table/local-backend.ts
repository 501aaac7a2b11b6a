/** Carries commands out in this process: a store by location, the kernel's log, an engine for rows. */
import type { Engine } from '../engine/index.ts'
import {
  type Backend,
  type Command,
  type CommandOptions,
  type CommandResult,
  executeCommand,
  type OperationContext,
} from '../operations/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { type Clock, systemClock } from '../support/index.ts'
import { OpenTables } from './open-tables.ts'

export interface LocalBackendOptions {
  /** the store of a table's address; called once an address */
  readonly openStore: (location: string) => Promise<ObjectStore>
  /** moves rows; one that loads lazily makes commands of the log alone start fast. Closed with the backend */
  readonly engine: Engine
  /** what is open is shared with others; closed with the backend */
  readonly openTables?: OpenTables
  readonly clock?: Clock
  /** who makes the commits, as history shows it */
  readonly userName?: string
  /** how many commits one compacted file of the log stands for, 2 or more; none is written when absent */
  readonly logCompactionInterval?: number
  /** told of each oddity of a log that does not change the answer */
  readonly onWarning?: (text: string) => void
}

export function localBackend(options: LocalBackendOptions): Backend {
  return new LocalBackend(options)
}

class LocalBackend implements Backend {
  private readonly options: LocalBackendOptions
  private readonly tables: OpenTables

  constructor(options: LocalBackendOptions) {
    this.options = options
    this.tables = options.openTables ?? new OpenTables(options)
  }

  async execute<C extends Command>(command: C, options: CommandOptions = {}): Promise<CommandResult<C>> {
    return await executeCommand(command, await this.contextFor(command.table.location, options))
  }

  async close(): Promise<void> {
    await this.tables.close()
    await this.options.engine.close()
  }

  private async contextFor(location: string, options: CommandOptions): Promise<OperationContext> {
    const { store, snapshots } = await this.tables.open(location)
    const { engine, onWarning, userName, logCompactionInterval, clock = systemClock } = this.options
    const loadOptions = { ...(options.signal && { signal: options.signal }), ...(onWarning && { onWarning }) }
    return {
      location,
      store,
      engine,
      clock,
      options,
      ...(userName !== undefined && { userName }),
      ...(logCompactionInterval !== undefined && { logCompactionInterval }),
      warn: onWarning ?? (() => {}),
      exists: () => snapshots.exists(loadOptions),
      committed: (commits) => snapshots.remember(commits),
      leaseSnapshot: (at) => snapshots.lease(at, loadOptions),
      withSnapshot: (at, work) => snapshots.withSnapshot(at, work, loadOptions),
      open: (table) => this.contextFor(table.location, options),
    }
  }
}
