/** Formats of one record a line that are neither JSON nor CSV: their lines become NDJSON, which the engine takes in. */

/** The fields of a line by name, as texts; null where the line says that there is none. */
export type LineFields = ReadonlyMap<string, string | null>

export interface LineFormat {
  /** for the sentence that refuses a line */
  readonly name: string
  /** whether every line has the same fields, so that those without a column are of no interest */
  readonly isFixed: boolean
  /** @returns undefined where the line is not of the format */
  parse(line: string): LineFields | undefined
}
