/**
 * The actions of a Delta log, with the protocol's words and the JSON spelling of their fields.
 *
 * Integers that can pass 2^53 (txn versions, row ids) are bigint; sizes, versions and times are numbers, checked to be
 * safe when read. `partitionValues`, `configuration` and `tags` are Maps, so that no key of a table can be special.
 * Fields this package does not know are kept in `extra` and printed again. Source: Delta protocol, "Actions".
 */
import type { JsonObject } from '../../support/index.ts'

export interface Format {
  readonly provider: string
  readonly options: ReadonlyMap<string, string>
}

export interface Metadata {
  readonly id: string
  readonly name?: string
  readonly description?: string
  readonly format: Format
  /** absent in some log-only tables; a snapshot of such a table has no schema */
  readonly schemaString?: string
  readonly partitionColumns: readonly string[]
  readonly createdTime?: number
  readonly configuration: ReadonlyMap<string, string>
  readonly extra?: JsonObject
}

export interface Protocol {
  readonly minReaderVersion: number
  readonly minWriterVersion: number
  /** present exactly when minReaderVersion is 3 */
  readonly readerFeatures?: readonly string[]
  /** present exactly when minWriterVersion is 7 */
  readonly writerFeatures?: readonly string[]
  readonly extra?: JsonObject
}

/** Where a file's deleted rows are listed. An absent `offset` stays absent: it is part of the identity. */
export interface DeletionVectorDescriptor {
  readonly storageType: 'u' | 'i' | 'p'
  readonly pathOrInlineDv: string
  readonly offset?: number
  readonly sizeInBytes: number
  readonly cardinality: number
}

/** null is SQL NULL; a key that is missing is null too. Keys are physical names. */
export type PartitionValues = ReadonlyMap<string, string | null>

export interface AddFile {
  /** as the log has it: URI text, relative to the table's root or absolute */
  readonly path: string
  readonly partitionValues: PartitionValues
  readonly size: number
  readonly modificationTime: number
  readonly dataChange: boolean
  /** JSON text, parsed only when a predicate needs it */
  readonly stats?: string
  readonly tags?: ReadonlyMap<string, string | null>
  readonly deletionVector?: DeletionVectorDescriptor
  readonly baseRowId?: bigint
  readonly defaultRowCommitVersion?: bigint
  readonly clusteringProvider?: string
  readonly extra?: JsonObject
}

export interface RemoveFile {
  /** repeats the text of the add it ends */
  readonly path: string
  readonly deletionTimestamp?: number
  readonly dataChange: boolean
  readonly extendedFileMetadata?: boolean
  readonly partitionValues?: PartitionValues
  readonly size?: number
  readonly stats?: string
  readonly tags?: ReadonlyMap<string, string | null>
  readonly deletionVector?: DeletionVectorDescriptor
  readonly baseRowId?: bigint
  readonly defaultRowCommitVersion?: bigint
  readonly extra?: JsonObject
}

export interface AddCDCFile {
  readonly path: string
  readonly partitionValues: PartitionValues
  readonly size: number
  readonly dataChange: false
  readonly tags?: ReadonlyMap<string, string | null>
  readonly extra?: JsonObject
}

export interface SetTransaction {
  readonly appId: string
  readonly version: bigint
  readonly lastUpdated?: number
}

export interface DomainMetadata {
  readonly domain: string
  readonly configuration: string
  readonly removed: boolean
}

/** Free JSON; the keys this package reads are found by name. */
export type CommitInfo = JsonObject

export interface CheckpointMetadata {
  readonly version: number
  readonly tags?: ReadonlyMap<string, string | null>
}

export interface SidecarFile {
  /** a file name below `_delta_log/_sidecars/`, URI-encoded */
  readonly path: string
  readonly sizeInBytes: number
  readonly modificationTime: number
  readonly tags?: ReadonlyMap<string, string | null>
}

/** One line of a commit: exactly one member is there. An action of a kind not known here is in `unknown`. */
export type Action =
  | { readonly metaData: Metadata }
  | { readonly protocol: Protocol }
  | { readonly add: AddFile }
  | { readonly remove: RemoveFile }
  | { readonly cdc: AddCDCFile }
  | { readonly txn: SetTransaction }
  | { readonly domainMetadata: DomainMetadata }
  | { readonly commitInfo: CommitInfo }
  | { readonly checkpointMetadata: CheckpointMetadata }
  | { readonly sidecar: SidecarFile }
  | { readonly unknown: JsonObject }

export type ActionKind =
  | 'metaData'
  | 'protocol'
  | 'add'
  | 'remove'
  | 'cdc'
  | 'txn'
  | 'domainMetadata'
  | 'commitInfo'
  | 'checkpointMetadata'
  | 'sidecar'

/** The actions of one commit, in the order of the file, which means nothing. */
export interface Commit {
  readonly version: number
  /** modification time of the commit file, milliseconds; not yet adjusted to be monotone */
  readonly modifiedMs: number
  readonly actions: readonly Action[]
}
