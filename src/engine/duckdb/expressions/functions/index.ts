import { arithmeticForms } from './arithmetic.ts'
import type { CallForm } from './call-form.ts'
import { datetimeForms } from './datetime.ts'
import { logicForms } from './logic.ts'
import { structForms } from './structs.ts'
import { textForms } from './text.ts'

export type { CallForm } from './call-form.ts'

/** How each function is compiled, by its canonical name; a function that is not here is not. */
export const callForms: ReadonlyMap<string, CallForm> = new Map([
  ...arithmeticForms,
  ...logicForms,
  ...textForms,
  ...datetimeForms,
  ...structForms,
])
