/** Why records are refused, in the few words that figures are counted by; the whole reason is in the dead-letter file. */

export type RefusalKind = 'malformed' | 'type' | 'null' | 'unknown_field' | 'key_too_long' | 'other'

const KINDS: readonly (readonly [RefusalKind, RegExp])[] = [
  ['key_too_long', /^the row's partition values make a key of /],
  ['unknown_field', /^the record has the field .* which is no column$/],
  ['null', /(is NOT NULL, and null is there|holds null, which its \w+ cannot be)$/],
  [
    'malformed',
    /^(not JSON|text follows the record|the record is |the record has \d+ fields|it is nested deeper)|is there twice$/,
  ],
  ['type', /(and the record has .* there|is not exactly one|a key of its own and a value|twice, or null as a key)$/],
]

export function refusalKind(reason: string): RefusalKind {
  return KINDS.find(([, pattern]) => pattern.test(reason))?.[0] ?? 'other'
}
