/** The frozen DuckLake repository: versions of a lake on any store, readable without a server. */
export { backfill } from './backfill.ts'
export { type CloneOptions, cloneVersion } from './clone.ts'
export { setFormat, unsetFormat } from './formats.ts'
export { collectGarbage, type GcOptions } from './gc.ts'
export { type InitOptions, initRepository } from './init.ts'
export { lakeSource } from './lake-source.ts'
export type { CatalogFormat, CatalogRecord, Config, FileRecord, VersionRecord } from './layout.ts'
export {
  chooseCatalog,
  compareFormats,
  describeOffer,
  EXTENSIONS,
  type OpenVersion,
  type OpenVersionOptions,
  OUR_READER,
  openVersion,
  type Reader,
} from './open.ts'
export { type PublishOptions, type PublishResult, publish } from './publish.ts'
export { type PullOptions, type PullResult, pull } from './pull.ts'
export type { Removal } from './removal.ts'
export { type RefState, Repository } from './repository.ts'
export { type RowsSourceOptions, rowsSource } from './rows-source.ts'
export { type RepositoryServer, type ServeOptions, serveRepository } from './serve.ts'
export type { BuiltCatalog, PublishSource, SourceFile } from './source.ts'
export { type TagOptions, tagVersion } from './tag.ts'
export { type AttachLine, attachLines } from './url.ts'
export { type Finding, type VerifyOptions, type VerifyReport, verify } from './verify.ts'
export { type WithdrawOptions, withdraw } from './withdraw.ts'
