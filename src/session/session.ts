/**
 * What Node puts together once for a process or a command: stores by location, an engine that loads when it is first
 * needed, the local backend over both, and `DeltaTable` over that.
 */
import { userInfo } from 'node:os'
import { openLocation } from '../catalog/index.ts'
import type { Engine } from '../engine/index.ts'
import type { Backend } from '../operations/index.ts'
import type { ObjectStore } from '../storage/index.ts'
import { type Clock, systemClock } from '../support/index.ts'
import { type DeltaTables, deltaTables, localBackend, OpenTables } from '../table/index.ts'

export interface SessionOptions {
  /** moves rows */
  readonly engine: Engine
  /** the store of a table's address; a folder path, `file:` and http(s) addresses when absent */
  readonly openStore?: (location: string) => ObjectStore | Promise<ObjectStore>
  readonly clock?: Clock
  /** who makes the commits, as history shows it; the user of the operating system when absent */
  readonly userName?: string
  /** how many commits one compacted file of the log stands for, 2 or more; none is written when absent */
  readonly logCompactionInterval?: number
  readonly onWarning?: (text: string) => void
}

export interface Session {
  readonly engine: Engine
  readonly backend: Backend
  readonly tables: DeltaTables
  /** what is open of tables, shared by all that works on them */
  readonly openTables: OpenTables
  readonly clock: Clock
  openStore(location: string): Promise<ObjectStore>
  /** Frees the engine and what is open of tables; nothing of the session works afterwards. */
  close(): Promise<void>
}

/** Nothing is opened or loaded yet. */
export function openSession(options: SessionOptions): Session {
  const openStore = async (location: string) => await (options.openStore ?? openLocation)(location)
  const { engine, clock = systemClock, onWarning, logCompactionInterval } = options
  const openTables = new OpenTables({ openStore, engine })
  const userName = options.userName ?? systemUser()
  const backend = localBackend({
    openStore,
    engine,
    openTables,
    clock,
    ...(onWarning && { onWarning }),
    ...(userName !== undefined && { userName }),
    ...(logCompactionInterval !== undefined && { logCompactionInterval }),
  })
  const tables = deltaTables(() => backend)
  return { engine, backend, tables, openTables, clock, openStore, close: () => backend.close() }
}

/** undefined where the process runs under a number without a name */
function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}
