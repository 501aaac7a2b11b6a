/** What the page may ask of its engine, and how both write it to each other. */
import type { Call } from './calls/call.ts'
import type { StorageQuery, StorageView } from './messages/storage.ts'
import type {
  ChangeFeed,
  CommitView,
  Difference,
  Failure,
  FileDetail,
  FilePage,
  FilesQuery,
  FolderView,
  MergePreview,
  OpenedTable,
  PartitionLine,
  Performed,
  PlayStart,
  PlayState,
  RowPage,
  RowStory,
  RowsQuery,
  TableSource,
  TableState,
  Traffic,
  VersionLine,
} from './messages.ts'
import type { LaneName, LaneView } from './play/lane-view.ts'

/** The calls the engine answers; `id` names an open table. */
export interface Remote {
  open(source: TableSource): Promise<OpenedTable>
  versions(id: string, from: number, count: number): Promise<readonly VersionLine[]>
  search(id: string, text: string): Promise<readonly VersionLine[]>
  versionAt(id: string, timestampMs: number): Promise<number>
  state(id: string, version: number): Promise<TableState>
  files(id: string, version: number, query: FilesQuery): Promise<FilePage>
  partitions(id: string, version: number): Promise<readonly PartitionLine[]>
  file(id: string, version: number, path: string): Promise<FileDetail>
  folder(id: string, version: number): Promise<FolderView>
  storage(id: string, version: number, query: StorageQuery): Promise<StorageView>
  commit(id: string, version: number): Promise<CommitView>
  rows(id: string, version: number, query: RowsQuery): Promise<RowPage>
  difference(id: string, from: number, to: number): Promise<Difference>
  changes(id: string, from: number, to: number, offset: number, limit: number): Promise<ChangeFeed>
  story(id: string, where: string): Promise<RowStory>
  traffic(id: string): Promise<Traffic>
  statement(id: string, sql: string): Promise<RowPage>

  play(id: string, start: PlayStart): Promise<PlayState>
  perform(id: string, call: Call): Promise<Performed>
  /** what the table is now, whoever changed it */
  look(id: string): Promise<PlayState>
  undo(id: string): Promise<PlayState>
  readSql(id: string, sql: string): Promise<Call>
  previewMerge(id: string, call: Call): Promise<MergePreview>
  zip(id: string): Promise<Uint8Array>
  unzip(id: string, bytes: Uint8Array): Promise<PlayState>
  plantFile(id: string, name: string, rows: number): Promise<PlayState>
  lanes(id: string): Promise<readonly LaneView[]>
  laneStart(id: string, lane: LaneName, call: Call, lostAnswer: boolean): Promise<readonly LaneView[]>
  laneStep(id: string, lane: LaneName): Promise<readonly LaneView[]>
  laneReset(id: string): Promise<readonly LaneView[]>
}

export interface CallMessage {
  readonly id: number
  readonly method: keyof Remote
  readonly args: readonly unknown[]
}

export type AnswerMessage =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: Failure }
