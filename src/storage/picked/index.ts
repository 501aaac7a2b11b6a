export { directoryStore, type PickedStoreOptions } from './directory-store.ts'
export { fileListStore } from './file-list-store.ts'
