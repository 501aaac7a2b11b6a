/** What is published: something that makes a logical catalog, on top of the version that is the head now. */
import type { ObjectStore } from '../../storage/index.ts'
import type { Lake } from '../lake.ts'
import type { Draft } from '../write/draft.ts'

/** A data or delete file that a version names. */
export interface SourceFile {
  /** below the root of the repository: `data/main/t/x.parquet` */
  readonly target: string
  readonly bytes: number
  /** where it is taken from; absent: it lies in the repository already */
  readonly from?: { readonly store: ObjectStore; readonly key: string }
  /** content that is in no store */
  readonly content?: Uint8Array
}

export interface BuiltCatalog {
  readonly draft: Draft
  /** every file that any snapshot of the draft names */
  readonly files: readonly SourceFile[]
  /** of the delete file with an id: whether it holds several vectors */
  isContainer(deleteFileId: number): Promise<boolean>
  /** `main.t`; undefined: the whole lake */
  readonly tables: readonly string[] | undefined
  /** frees what was opened for it, the draft included */
  close(): Promise<void>
}

/** @param base the lake of the head, where there is one; it stays open until the built catalog is closed */
export type PublishSource = (base: Lake | undefined) => Promise<BuiltCatalog>
