export { type EngineContractCase, type EngineSubject, engineContract } from '../engine/index.ts'
export {
  type ContractCase,
  type ContractSubject,
  type ObjectStoreSubject,
  objectStoreContract,
} from '../storage/index.ts'
