export { type EngineContractCase, type EngineSubject, engineContract } from '../engine/contract/index.ts'
export {
  type ContractCase,
  type ContractSubject,
  type ObjectStoreSubject,
  objectStoreContract,
} from '../storage/contract/index.ts'
export {
  type AccessPolicy,
  type AssumableRole,
  failNthCall,
  type NthCallPlan,
  type PolicyStatement,
  type S3Fault,
  type S3FaultPlan,
  type S3Request,
  type S3Server,
  type S3ServerOptions,
  type ServerRequest,
  type ServerUser,
  s3Faults,
  startS3Server,
  startUnityServer,
  type UnityFault,
  type UnityServer,
  type UnityServerOptions,
  type UnityServerTable,
  type VendedCredentials,
} from './servers/index.ts'
