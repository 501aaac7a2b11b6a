/**
 * Keys of objects in the order their text had them.
 *
 * JavaScript puts keys that look like whole numbers in front of all others. A year as a column's name would so become
 * the first column of a table, and 10 would stand behind 2.
 */
const WRITTEN = new WeakMap<object, readonly string[]>()
const WHOLE_NUMBER = /^(?:0|[1-9]\d*)$/

/** Whether JavaScript may put some of the keys in another order. */
export function mayLoseOrder(keys: readonly string[]): boolean {
  return keys.some((key) => WHOLE_NUMBER.test(key))
}

/** Keeps the order of an object's keys for as long as the object lives. */
export function rememberKeys(object: object, keys: readonly string[]): void {
  WRITTEN.set(object, keys)
}

/** The keys of an object as they were written, where that is known, else as JavaScript has them. */
export function keysAsWritten(object: object): readonly string[] {
  return WRITTEN.get(object) ?? Object.keys(object)
}
