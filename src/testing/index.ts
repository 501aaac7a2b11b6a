export {
  type ContractCase,
  type ContractSubject,
  type ObjectStoreSubject,
  objectStoreContract,
} from '../storage/index.ts'
