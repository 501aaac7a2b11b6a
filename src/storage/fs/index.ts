export { localStore } from './local-store.ts'
export { makeFolder } from './make-folder.ts'
