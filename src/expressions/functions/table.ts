/** The one table of functions: by canonical name and by alias. */
import type { BoundExpression } from '../expression.ts'
import { accessFunctions } from './access.ts'
import { arithmeticFunctions } from './arithmetic.ts'
import { arrayFunctions } from './array.ts'
import { arraySearchFunctions } from './array-search.ts'
import { castFunctions } from './casts.ts'
import { comparisonFunctions } from './comparison.ts'
import { conditionalFunctions } from './conditional.ts'
import { datetimeFunctions } from './datetime.ts'
import { datetimeArithmeticFunctions } from './datetime-arithmetic.ts'
import { datetimeConversions } from './datetime-conversion.ts'
import { datetimeParts } from './datetime-parts.ts'
import { encodingFunctions } from './encoding.ts'
import type { CallSite, FunctionEntry } from './entry.ts'
import { higherOrderFunctions } from './higher-order.ts'
import { jsonFunctions } from './json.ts'
import { logicFunctions } from './logic.ts'
import { mapStructFunctions } from './map-struct.ts'
import { mathFunctions } from './math.ts'
import { roundingFunctions } from './rounding.ts'
import { stringFunctions } from './string.ts'
import { searchFunctions } from './string-search.ts'
import { stringShapeFunctions } from './string-shape.ts'
import { textForms } from './text-forms.ts'
import { tryForm } from './try-functions.ts'
import { zipFunctions } from './zip.ts'

const byName = new Map<string, FunctionEntry>()

function operator(name: string, args: readonly BoundExpression[], site: CallSite): BoundExpression {
  return byName.get(name)!.bind(args, site)
}

const named = (name: string, entries: readonly FunctionEntry[]): FunctionEntry =>
  entries.find((entry) => entry.name === name)!

const base: readonly FunctionEntry[] = [
  ...logicFunctions,
  ...accessFunctions,
  ...comparisonFunctions,
  ...conditionalFunctions(operator),
  ...arithmeticFunctions,
  ...datetimeArithmeticFunctions,
  ...datetimeFunctions,
  ...datetimeParts,
  ...datetimeConversions,
  ...stringFunctions,
  ...stringShapeFunctions,
  ...searchFunctions,
  ...castFunctions,
  ...mathFunctions,
  ...roundingFunctions,
  ...arrayFunctions,
  ...arraySearchFunctions,
  ...mapStructFunctions,
  ...higherOrderFunctions,
  ...encodingFunctions(operator),
  ...jsonFunctions,
  ...textForms,
  ...zipFunctions,
]

/** `try_` forms by name, and the function each is a form of. */
const TRY_FORMS = [
  ['try_add', '+', ['date_add', 'add_interval']],
  ['try_subtract', '-', ['date_sub', 'subtract_interval', 'subtract_dates', 'subtract_timestamps']],
  ['try_multiply', '*', ['multiply_interval']],
  ['try_divide', '/', ['divide_interval']],
  ['try_mod', '%', []],
  ['try_make_timestamp', 'make_timestamp', []],
  ['try_make_timestamp_ntz', 'make_timestamp_ntz', []],
] as const

/** Every function, one entry a canonical name, in the order of its families. */
export const functionTable: readonly FunctionEntry[] = [
  ...base,
  ...TRY_FORMS.flatMap(([name, source, others]) => {
    const entry = named(source, base)
    return tryForm(name, entry, [entry, ...others.flatMap((other) => base.filter((e) => e.name === other))])
  }),
]

for (const entry of functionTable) {
  for (const name of [entry.name, ...(entry.aliases ?? [])]) byName.set(name, entry)
}

/** The entry of a function by any of its names, in lower case. */
export function findFunction(name: string): FunctionEntry | undefined {
  return byName.get(name)
}
