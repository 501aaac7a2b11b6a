export { localStore } from './local-store.ts'
