/** Functions of text, by code point. Upper and lower case, regular expressions and formats are left to TypeScript. */

import { notCompiled } from '../fragment.ts'
import { type CallForm, type CompiledCall, constantOf, refuseTypes, strict } from './call-form.ts'

/** Positions count from 1, from the end where negative; 0 is like 1. Source: Spark's `UTF8String.substringSQL`. */
function substring(text: string, position: string, length: string | undefined): string {
  const size = `CAST(length(${text}) AS BIGINT)`
  const start = `CASE WHEN ${position} > 0 THEN CAST(${position} AS BIGINT) - 1 WHEN ${position} < 0 THEN ${size} + ${position} ELSE 0 END`
  const from = `greatest(${start}, 0)`
  const to = length === undefined ? size : `least((${start}) + CAST(${length} AS BIGINT), ${size})`
  const cut = `substring(${text}, ${from} + 1, greatest(${to} - ${from}, 0))`
  return length === undefined
    ? `CASE WHEN ${position} IS NOT NULL THEN ${cut} END`
    : `CASE WHEN ${position} IS NOT NULL AND ${length} IS NOT NULL AND ${text} IS NOT NULL THEN ${cut} END`
}

function textOnly(form: (args: string[], call: CompiledCall) => string): CallForm {
  return strict((args, call) => {
    refuseTypes(call, 'binary', 'array')
    return form(args, call)
  })
}

function pad(name: 'lpad' | 'rpad'): CallForm {
  return strict(([text, length, padding], call) => {
    refuseTypes(call, 'binary')
    if (padding !== undefined && constantOf(call, 2) === '') throw notCompiled(`${name} with an empty padding`)
    const notNull = `${text} IS NOT NULL AND ${length} IS NOT NULL`
    return `CASE WHEN ${notNull} THEN ${name}(${text}, greatest(${length}, 0), ${padding ?? "' '"}) END`
  })
}

function trim(name: 'trim' | 'ltrim' | 'rtrim'): CallForm {
  return strict((args, call) => {
    if (call.nodes.length > 1) throw notCompiled(`${name} of given characters`)
    return `${name}(${args[0]}, ' ')`
  })
}

export const textForms: readonly (readonly [string, CallForm])[] = [
  [
    'length',
    strict(([a], call) =>
      call.types[0]!.kind === 'binary' ? `CAST(octet_length(${a}) AS INTEGER)` : `CAST(length(${a}) AS INTEGER)`,
    ),
  ],
  [
    'octet_length',
    strict(
      ([a], call) => `CAST(${call.types[0]!.kind === 'binary' ? `octet_length(${a})` : `strlen(${a})`} AS INTEGER)`,
    ),
  ],
  ['concat', textOnly((args) => (args.length === 0 ? "''" : `(${args.join(' || ')})`))],
  ['substring', textOnly(([text, position, length]) => substring(text!, position!, length))],
  ['left', textOnly(([text, count]) => `left(${text}, greatest(${count}, 0))`)],
  ['right', textOnly(([text, count]) => `right(${text}, greatest(${count}, 0))`)],
  ['replace', textOnly(([text, search, by]) => `replace(${text}, ${search}, ${by ?? "''"})`)],
  ['repeat', textOnly(([text, times]) => `repeat(${text}, greatest(${times}, 0))`)],
  ['startswith', textOnly(([text, start]) => `starts_with(${text}, ${start})`)],
  ['endswith', textOnly(([text, end]) => `suffix(${text}, ${end})`)],
  ['contains', textOnly(([text, part]) => `contains(${text}, ${part})`)],
  ['instr', textOnly(([text, part]) => `CAST(instr(${text}, ${part}) AS INTEGER)`)],
  [
    'locate',
    textOnly(([part, text, from], call) => {
      if (from !== undefined && constantOf(call, 2) !== 1) throw notCompiled('locate from another place than 1')
      return `CAST(instr(${text}, ${part}) AS INTEGER)`
    }),
  ],
  ['lpad', pad('lpad')],
  ['rpad', pad('rpad')],
  ['trim', trim('trim')],
  ['ltrim', trim('ltrim')],
  ['rtrim', trim('rtrim')],
]
