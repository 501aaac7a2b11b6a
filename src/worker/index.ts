export {
  checkWorkerConfig,
  type DestinationConfig,
  parseWorkerConfig,
  type ServerConfig,
  type SourceConfig,
  type WorkerConfig,
} from './config/config.ts'
export type { Setting } from './config/setting.ts'
export {
  destinationSettings,
  routeSettings,
  serverSettings,
  unityCatalogSettings,
  workerSettings,
} from './config/settings.ts'
export { sourceSettings } from './config/source-settings.ts'
export {
  configurationMessages,
  type DestinationMessage,
  runningMessages,
  tableMessages,
  unityMessages,
} from './destinations/delta/messages.ts'
export { MAX_KEY_BYTES, tooLongKey } from './destinations/delta/row-key.ts'
export type { DestinationSummary, WorkerEvent, WorkerSummary } from './events.ts'
export { parseRecordType } from './records/parse-record-type.ts'
export { formatRecordType, type RecordType, type StructRecord, tableSchemaOf } from './records/record-type.ts'
export type { Route } from './routes/route.ts'
export { stepForms } from './routes/steps.ts'
export { checkWorker, memoryLimitOf, type RunOptions, runWorker, workerThreads } from './run-worker.ts'
export {
  type CredentialLookup,
  credentialLookup,
  listSecrets,
  removeSecret,
  secretsFile,
  setSecret,
} from './secrets.ts'
export type { DestinationStatus, WorkerStatus } from './server/status.ts'
