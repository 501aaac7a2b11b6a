/** One entry of the catalogue of errors. */
export interface ErrorSpec {
  /** what happened, to what; `{name}` is filled from the error's details */
  readonly message: string
  /** what to do, as a clause that follows `; ` */
  readonly remedy?: string
  /** five characters; Delta's own where the code is Delta's */
  readonly sqlState: string
  /** whether the same call may succeed if it is made again */
  readonly retryable?: boolean
  /** the subclass the error is made in */
  readonly kind?: 'conflict' | 'unsupported' | 'storage' | 'usage'
}
