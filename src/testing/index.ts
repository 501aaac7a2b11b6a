export { type EngineContractCase, type EngineSubject, engineContract } from '../engine/contract/index.ts'
export {
  type ContractCase,
  type ContractSubject,
  type ObjectStoreSubject,
  objectStoreContract,
} from '../storage/contract/index.ts'
