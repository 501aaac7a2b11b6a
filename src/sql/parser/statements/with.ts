/** `WITH name AS (query), … INSERT|UPDATE|DELETE|MERGE …` */

import type { QueryText, Statement } from '../statement.ts'
import type { StatementReader } from '../statement-reader.ts'
import { readDelete } from './delete.ts'
import { readInsert } from './insert.ts'
import { readMerge } from './merge.ts'
import { readUpdate } from './update.ts'

/** Undefined (nothing taken) where WITH begins a query. */
export function readWith(reader: StatementReader): Statement | undefined {
  const { tokens } = reader
  const place = tokens.place
  const cte = readNamedQueries(reader)
  if (cte !== undefined) {
    if (tokens.takeWord('INSERT')) return readInsert(reader, { with: cte })
    if (tokens.takeWord('MERGE')) return readMerge(reader, { with: cte })
    if (tokens.takeWord('UPDATE')) return readUpdate(reader)
    if (tokens.takeWord('DELETE')) return readDelete(reader)
  }
  tokens.moveTo(place)
  return undefined
}

/** `WITH a AS (…), b (x, y) AS (…)`; undefined where the text is something else. */
function readNamedQueries({ tokens, text }: StatementReader): QueryText | undefined {
  const { start } = tokens.next()
  tokens.takeWord('RECURSIVE')
  do {
    const { kind } = tokens.next()
    if (kind !== 'word' && kind !== 'name') return undefined
    if (tokens.atOperator('(')) skipBrackets(tokens)
    if (!tokens.takeWord('AS')) return undefined
    tokens.takeWord('NOT')
    tokens.takeWord('MATERIALIZED')
    if (!tokens.atOperator('(')) return undefined
    skipBrackets(tokens)
  } while (tokens.takeOperator(','))
  return { text: text.slice(start, tokens.end), start }
}

function skipBrackets(tokens: StatementReader['tokens']): void {
  let depth = 0
  do {
    const { key, kind } = tokens.next()
    if (kind === 'end') return
    if (key === '(') depth++
    if (key === ')') depth--
  } while (depth > 0)
}
