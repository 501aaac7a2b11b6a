/** Statements that are answered otherwise than the reference does, on purpose, and why. `docs/sql.md` tells of each. */
export interface DifferentAnswer {
  /** how the statement begins */
  readonly statement: string
  readonly why: string
}

export const differentAnswers: readonly DifferentAnswer[] = [
  { statement: 'SHOW CREATE TABLE $T', why: 'the statement is answered here' },
  { statement: 'VACUUM $T RETAIN 167 HOURS', why: 'a time that is too short is refused, not passed over' },
  { statement: 'VACUUM $T RETAIN -1 HOURS', why: 'a time that is too short is refused, not passed over' },
]
