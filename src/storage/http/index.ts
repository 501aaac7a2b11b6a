export { type HttpStoreOptions, httpStore } from './http-store.ts'
