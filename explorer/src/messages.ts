/** What the page and its reader, which runs in a worker, say to each other. Everything is plain data. */

export interface TableAddress {
  readonly id: number
  readonly name: string
  readonly location: string
}

export interface VersionLine {
  readonly version: number
  /** milliseconds since 1970, or null where the log does not tell */
  readonly timestampMs: number | null
  readonly operation: string
  /** the rest of what commitInfo says, for the eye */
  readonly detail: string
  /** a checkpoint lies at this version */
  readonly checkpoint: boolean
}

export interface OpenedTable {
  /** newest first */
  readonly versions: readonly VersionLine[]
  readonly latest: number
}

export interface ColumnLine {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  readonly partition: boolean
}

export interface FileLine {
  readonly path: string
  readonly size: number
  readonly numRecords: number | null
  readonly deletedRows: number
  readonly partition: readonly (readonly [string, string | null])[]
  /** pretty statistics, or null where the log has none */
  readonly stats: string | null
  /** `kept: …` or why it is skipped, once a predicate is given */
  readonly outcome: { readonly kept: boolean; readonly reason: string } | null
}

export interface TableState {
  readonly version: number
  readonly columns: readonly ColumnLine[]
  readonly protocol: string
  readonly features: readonly string[]
  readonly properties: readonly (readonly [string, string])[]
  readonly numFiles: number
  readonly sizeInBytes: number
  readonly warnings: readonly string[]
}

export interface FilePage {
  readonly files: readonly FileLine[]
  /** files of the version, skipped ones included */
  readonly total: number
  readonly kept: number
}

export interface CommitView {
  readonly version: number
  readonly file: string
  /** one entry a line of the commit, pretty-printed, with the kind of its action */
  readonly actions: readonly { readonly kind: string; readonly summary: string; readonly json: string }[]
}

export interface RowPage {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  /** texts as `bayou rows` prints them; null is SQL NULL */
  readonly rows: readonly (readonly (string | null)[])[]
  readonly more: boolean
}

/** The calls the reader answers. */
export interface Reader {
  open(address: TableAddress): Promise<OpenedTable>
  state(version: number): Promise<TableState>
  files(version: number, where: string): Promise<FilePage>
  commit(version: number): Promise<CommitView>
  rows(version: number, where: string, offset: number, limit: number): Promise<RowPage>
}

export interface CallMessage {
  readonly id: number
  readonly method: keyof Reader
  readonly args: readonly unknown[]
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly remedy: string | undefined
}

export type AnswerMessage =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: Failure }
