export { parseAzureAddress } from './azure-location.ts'
export { type AzureCredentials, type AzureStoreOptions, azureStore } from './azure-store.ts'
