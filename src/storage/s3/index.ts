export { type AssumedRoleOptions, assumedRole } from './assumed-role.ts'
export {
  type CredentialVariables,
  credentialsFromVariables,
  type RenewableCredentials,
  type S3Credentials,
} from './s3-credentials.ts'
export { parseS3Address } from './s3-location.ts'
export { type S3StoreOptions, s3Store } from './s3-store.ts'
