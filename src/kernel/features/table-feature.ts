/**
 * What a table feature is, as data.
 *
 * The reading gate, the writing gate and upgrades read these objects; no other place knows a feature by its name.
 * Source: Delta protocol, "Table Features".
 */
import type { StructType } from '../../schema/index.ts'
import type { DomainMetadata, Metadata } from '../actions/actions.ts'

/** What the conditions of a feature may look at. */
export interface FeatureTable {
  readonly metadata: Metadata
  readonly schema: StructType
  readonly domains: ReadonlyMap<string, DomainMetadata>
}

export interface TableFeature {
  /** as it stands in readerFeatures and writerFeatures */
  readonly name: string
  /** other spellings that mean the same */
  readonly aliases?: readonly string[]
  /** the spelling under which a table gets it, where that is not its name */
  readonly writtenAs?: string
  /** a `reader-writer` feature is listed in both lists, a `writer` feature only in writerFeatures */
  readonly kind: 'writer' | 'reader-writer'
  /** the protocol version that implies it without a list */
  readonly legacy?: { readonly reader?: number; readonly writer: number }
  /** features that must be listed with it */
  readonly needs: readonly string[]
  /** whether the table makes use of it now; a feature can be listed and not be in use */
  readonly isActive: (table: FeatureTable) => boolean
  /** whether the kernel and the engines read tables that list it */
  readonly readable: boolean
  /** whether appends, overwrites and metadata changes keep its rules: always, while it is not in use, or never */
  readonly writable: 'yes' | 'unless-active' | 'no'
  /** whether setting its property on an existing table lists it */
  readonly addedByProperty: boolean
  /** whether adding it binds commits that were planned without it, so that they must be planned anew */
  readonly abortsConcurrent?: boolean
}
