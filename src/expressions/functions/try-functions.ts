/** `try_add` and its kin: the operation alone gives NULL where it fails; its arguments still fail. */
import { isDeltaError } from '../../errors/index.ts'
import type { BoundExpression } from '../expression.ts'
import type { FunctionEntry } from './entry.ts'

/**
 * Makes the `try_` form of a function: binds as it does, gives NULL where it throws.
 *
 * @param base every entry whose name binding of `source` may give
 */
export function tryForm(name: string, source: FunctionEntry, base: readonly FunctionEntry[]): readonly FunctionEntry[] {
  const names = new Map(base.map((entry) => [entry.name, entry === source ? name : `${name}:${entry.name}`]))
  const rename = (bound: BoundExpression): BoundExpression =>
    bound.kind === 'call' && names.has(bound.name) ? { ...bound, name: names.get(bound.name)! } : bound
  return base.map((entry) => ({
    ...entry,
    aliases: [],
    name: names.get(entry.name)!,
    bind: (args, site) => rename(source.bind(args, site)),
    ...(entry.strict === undefined ? {} : { strict: quiet(entry.strict.bind(entry)) }),
  }))
}

function quiet(strict: NonNullable<FunctionEntry['strict']>): NonNullable<FunctionEntry['strict']> {
  return (shape) => {
    const evaluate = strict(shape)
    return (...values) => {
      try {
        return evaluate(...values)
      } catch (error) {
        if (isDeltaError(error)) return null
        throw error
      }
    }
  }
}
