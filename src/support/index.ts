export { collect, delay, mapParallel, throwIfAborted } from './async.ts'
export {
  type CivilDate,
  civilFromDays,
  daysFromCivil,
  daysInMonth,
  floorDiv,
  formatDate,
  formatTimeOfDay,
  formatTimestamp,
  isLeapYear,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  parseDate,
  parseTimestamp,
  splitMicros,
} from './calendar.ts'
export { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, systemClock } from './clock.ts'
export { crc32 } from './crc32.ts'
export { compareDecimals, Decimal, fitsPrecision, parseDecimal, rescale } from './decimal.ts'
export {
  isJsonObject,
  type JsonArray,
  JsonNumber,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseJsonPrefix,
  parseMarkedJson,
  parseStrictJson,
  printJson,
  unmarked,
} from './json.ts'
export { md5Hex } from './md5.ts'
export { type Expiring, type Renewable, type RenewingOptions, renewing } from './renewing.ts'
export { Slots } from './slots.ts'
export {
  compareBytes,
  compareText,
  concatBytes,
  decodeBase64,
  decodeUtf8,
  decodeUtf8Strict,
  encodeBase64,
  encodeHex,
  encodeUtf8,
  sortTexts,
} from './text.ts'
export { keysAsWritten, mayLoseOrder, rememberKeys } from './written-keys.ts'
