export type { ServerRequest } from './http-exchange.ts'
export { failNthCall, type NthCallPlan, type S3Fault, type S3FaultPlan, s3Faults } from './s3-faults.ts'
export { type S3Request, type S3Server, type S3ServerOptions, startS3Server } from './s3-server.ts'
export type { AccessPolicy, PolicyStatement, ServerUser } from './signature.ts'
export type { AssumableRole } from './sts.ts'
export {
  startUnityServer,
  type UnityFault,
  type UnityServer,
  type UnityServerOptions,
  type UnityServerTable,
  type VendedCredentials,
} from './unity-server.ts'
